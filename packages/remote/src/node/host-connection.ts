/** One connection to the host, for one request at a time. */
import { connect } from "node:net";
import type { Socket } from "node:net";
import type { RemoteResponse } from "../http/fetch-like.ts";
import { BodyStream } from "./body-stream.ts";
import { ResponseParser } from "./response-parser.ts";

export type SocketAddress = { readonly socketPath: string } | { readonly host: string; readonly port: number };

export interface ControlRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: string | undefined;
}

export class HostConnection {
  readonly #socket: Socket;
  #pending: { readonly parser: ResponseParser; readonly fail: (error: unknown) => void } | undefined;
  /** Called when a response has ended and the connection can be used again. */
  onIdle: () => void = () => {};

  constructor(address: SocketAddress) {
    this.#socket = "socketPath" in address ? connect(address.socketPath) : connect(address);
    this.#socket.on("data", (bytes: Buffer) => this.#receive(bytes));
    this.#socket.on("error", (error) => this.#pending?.fail(error));
    this.#socket.on("close", () => this.#closed());
  }

  get usable(): boolean {
    return !this.#socket.destroyed && !this.#socket.readableEnded;
  }

  /** Sends a serialized request. */
  send(request: string, signal: AbortSignal | undefined): Promise<RemoteResponse> {
    this.#socket.ref();
    const abort = () => this.#socket.destroy(signal?.reason as Error);
    signal?.addEventListener("abort", abort, { once: true });
    const response = new Promise<RemoteResponse>((resolve, reject) => {
      const body = new BodyStream({
        pause: () => this.#socket.pause(),
        resume: () => this.#socket.resume(),
        cancel: () => this.#socket.destroy(),
      });
      const settle = () => {
        signal?.removeEventListener("abort", abort);
        this.#pending = undefined;
      };
      const parser = new ResponseParser({
        onHead: (status) => resolve({ status, body }),
        onData: (bytes) => body.push(bytes),
        onEnd: () => {
          settle();
          body.end();
        },
      });
      const fail = (error: unknown) => {
        settle();
        body.end(error);
        reject(error);
      };
      this.#pending = { parser, fail };
    });
    if (signal?.aborted) abort();
    else this.#socket.write(request);
    return response;
  }

  /** Lets the process end while no request is pending. */
  unref(): void {
    this.#socket.unref();
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    if (!this.#pending) return void this.#socket.destroy();
    const { parser, fail } = this.#pending;
    try {
      parser.push(bytes);
    } catch (error) {
      fail(error);
      this.#socket.destroy();
    }
    if (parser.ended && this.usable) this.onIdle();
  }

  #closed(): void {
    if (!this.#pending) return;
    const { parser, fail } = this.#pending;
    try {
      parser.close();
    } catch (error) {
      fail(error);
    }
  }
}

/** Throws TypeError if a header contains a line break. */
export function serializeRequest({ method, path, headers, body = "" }: ControlRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  if (lines.some((line) => /[\r\n\0]/.test(line.slice(0, -2)))) throw new TypeError("a header contains a line break");
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
