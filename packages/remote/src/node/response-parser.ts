/** Parses one HTTP/1.1 response of the host. Pure. */

export interface HttpResponseHandler {
  onHead(status: number): void;
  onData(bytes: Buffer): void;
  onEnd(): void;
}

/** What the next bytes are. `sized`: a body whose length is known. `close`: a body that ends with the connection. */
type Expected = "head" | "sized" | "close" | "chunk-size" | "chunk" | "chunk-end" | "trailer" | "nothing";

const MAX_LINE_BYTES = 64 * 1024;
const EMPTY = Buffer.alloc(0);

export class ResponseParser {
  readonly #handler: HttpResponseHandler;
  #expected: Expected = "head";
  /** The beginning of a line or head whose end has not arrived. */
  #held: Buffer = EMPTY;
  /** The bytes that are missing in the body or in the current chunk. */
  #missing = 0;

  constructor(handler: HttpResponseHandler) {
    this.#handler = handler;
  }

  /** True after the last byte of the response. */
  get ended(): boolean {
    return this.#expected === "nothing";
  }

  /** Returns the bytes after the end of the response. Throws if the bytes are not HTTP. */
  push(bytes: Buffer): Buffer {
    let rest = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = EMPTY;
    while (rest.length > 0 && !this.ended) {
      const next = this.#readNext(rest);
      if (next === undefined) {
        if (rest.length > MAX_LINE_BYTES) throw new Error("the host sent a line without end");
        this.#held = rest;
        return EMPTY;
      }
      rest = next;
    }
    return rest;
  }

  /** Called when the host has closed the connection. Throws if the response is incomplete. */
  close(): void {
    if (this.#expected === "close") this.#end();
    if (!this.ended) throw Object.assign(new Error("the host closed the connection"), { code: "ECONNRESET" });
  }

  /** Returns the bytes after the part that was read, or undefined if the part is incomplete. */
  #readNext(bytes: Buffer): Buffer | undefined {
    switch (this.#expected) {
      case "head":
        return this.#readUpTo("\r\n\r\n", bytes, (head) => this.#readHead(head));
      case "chunk-size":
        return this.#readUpTo("\r\n", bytes, (line) => this.#readChunkSize(line));
      case "chunk-end":
        return this.#readUpTo("\r\n", bytes, () => (this.#expected = "chunk-size"));
      case "trailer":
        return this.#readUpTo("\r\n", bytes, (line) => line === "" && this.#end());
      default:
        return this.#readBody(bytes);
    }
  }

  #readUpTo(mark: string, bytes: Buffer, read: (text: string) => void): Buffer | undefined {
    const end = bytes.indexOf(mark);
    if (end < 0) return undefined;
    read(bytes.toString("latin1", 0, end));
    return bytes.subarray(end + mark.length);
  }

  #readHead(head: string): void {
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
    if (Number.isNaN(status)) throw new Error("the host sent no HTTP response");
    // The final response follows an interim one, such as 100 Continue.
    if (status < 200 && status !== 101) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    const isChunked = /\r\ntransfer-encoding: *chunked/i.test(head);
    this.#missing = Number(length ?? 0);
    this.#expected = isChunked ? "chunk-size" : length === undefined ? "close" : "sized";
    this.#handler.onHead(status);
    const hasNoBody = status === 101 || status === 204 || (this.#expected === "sized" && this.#missing === 0);
    if (hasNoBody) this.#end();
  }

  #readChunkSize(line: string): void {
    if (!/^[0-9a-f]{1,8}(?:;|$)/i.test(line)) throw new Error("the host sent an invalid chunk");
    this.#missing = Number.parseInt(line, 16);
    this.#expected = this.#missing === 0 ? "trailer" : "chunk";
  }

  #readBody(bytes: Buffer): Buffer {
    if (this.#expected === "close") {
      this.#handler.onData(bytes);
      return EMPTY;
    }
    const part = bytes.subarray(0, this.#missing);
    this.#missing -= part.length;
    this.#handler.onData(part);
    if (this.#missing === 0) {
      if (this.#expected === "chunk") this.#expected = "chunk-end";
      else this.#end();
    }
    return bytes.subarray(part.length);
  }

  #end(): void {
    this.#expected = "nothing";
    this.#handler.onEnd();
  }
}
