/** Tests the parser of HTTP responses, also against Node's server. */
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ResponseParser } from "#node/response-parser.js";

interface Parsed {
  readonly status: number;
  readonly body: string;
  readonly ended: boolean;
  readonly rest: string;
}

function parse(...pieces: readonly Buffer[]): Parsed {
  let status = 0;
  const chunks: Buffer[] = [];
  const parser = new ResponseParser({
    onHead: (received) => (status = received),
    onData: (bytes) => chunks.push(bytes),
    onEnd: () => {},
  });
  const rest = Buffer.concat(pieces.map((piece) => (parser.ended ? piece : parser.push(piece))));
  return { status, body: Buffer.concat(chunks).toString(), ended: parser.ended, rest: rest.toString() };
}

function parseText(response: string): Parsed {
  return parse(Buffer.from(response));
}

describe("a response", () => {
  it("ends after the bytes of its length", () => {
    const response = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nokHTTP";
    expect(parseText(response)).toEqual({ status: 404, body: "ok", ended: true, rest: "HTTP" });
  });

  it("without a length ends with the connection", () => {
    let ended = false;
    const parser = new ResponseParser({ onHead: () => {}, onData: () => {}, onEnd: () => (ended = true) });
    parser.push(Buffer.from("HTTP/1.1 200 OK\r\n\r\nbody"));
    expect(ended).toBe(false);
    parser.close();
    expect(ended).toBe(true);
  });

  it("that is cut off throws ECONNRESET", () => {
    for (const part of ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbod"]) {
      const parser = new ResponseParser({ onHead: () => {}, onData: () => {}, onEnd: () => {} });
      parser.push(Buffer.from(part));
      expect(() => parser.close()).toThrow(expect.objectContaining({ code: "ECONNRESET" }));
    }
  });

  it("that switches protocols (101) is complete after its headers", () => {
    const response = "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n{}";
    expect(parseText(response)).toEqual({ status: 101, body: "", ended: true, rest: "{}" });
  });

  it("may follow an interim response, which is skipped", () => {
    const response = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n";
    expect(parseText(response)).toMatchObject({ status: 204, ended: true });
  });

  it.each([
    ["no HTTP", "SSH-2.0-OpenSSH\r\n\r\n"],
    ["an invalid chunk size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n"],
    ["an endless line", "x".repeat(70_000)],
  ])("throws for %s", (_, response) => {
    expect(() => parseText(response)).toThrow(/the host sent/);
  });
});

describe("a response of Node's server", () => {
  let respond: (response: ServerResponse) => void;
  const server = createServer((_request, response) => respond(response));
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => void server.close());

  async function received(): Promise<Buffer> {
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    return Buffer.from(await text(socket.setEncoding("latin1")), "latin1");
  }

  it("is parsed to the same status and body, wherever it is cut into pieces", async () => {
    const responses = fc.record({
      status: fc.constantFrom(200, 201, 404, 500),
      chunks: fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), { maxLength: 5 }),
      hasLength: fc.boolean(),
      cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(responses, async ({ status, chunks, hasLength, cuts }) => {
        const body = chunks.join("");
        respond = (response) => {
          response.writeHead(status, hasLength ? { "content-length": Buffer.byteLength(body) } : {});
          for (const chunk of chunks) if (chunk !== "") response.write(chunk);
          response.end();
        };
        const bytes = await received();
        const at = cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b);
        const pieces = [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length));
        expect(parse(...pieces)).toEqual({ status, body, ended: true, rest: "" });
      }),
      { numRuns: 150 },
    );
  });
});
