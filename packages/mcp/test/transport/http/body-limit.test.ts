/**
 * Tests the size limit of responses, which applies after decompression. The client runs in a separate process, so that
 * its memory can be measured. Its server is this process.
 */
import { startFixture } from "@plugboard/testkit/fixture-process";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { openHttp, request, result, startTestHttp } from "../../helpers/open-http.ts";

const MIB = 1024 * 1024;
const CAP = 16 * MIB;

/**
 * Sends the chunk again and again until the client disconnects or the total is reached. Returns the number of bytes
 * sent.
 */
async function writeRepeatedly(response: ServerResponse, piece: Buffer, total: number): Promise<number> {
  let sent = 0;
  while (sent < total && !response.destroyed) {
    sent += piece.length;
    if (!response.write(piece)) await drained(response);
  }
  if (!response.destroyed) response.end();
  return sent;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

/**
 * Makes a request in another process. Returns the error code of the request, and by how much the memory of the process
 * grew.
 */
async function measure(url: string): Promise<{ code: string; grown: number }> {
  const program = `
    import { HttpTransport } from ${JSON.stringify(import.meta.resolve("#transport/streamable-http/http-transport.js"))};
    const url = ${JSON.stringify(url)};
    const send = (url, id) => new Promise((resolve) => {
      const transport = new HttpTransport({ server: "x", url, headers: {}, maxMessageBytes: ${CAP}, env: {} });
      transport.start({ message: () => resolve("answered"), requestFailed: (_, error) => resolve(error.code), closed() {} });
      void transport.send({ jsonrpc: "2.0", id, method: "x" });
    });
    await send(url + "/small", 1);
    const before = process.resourceUsage().maxRSS * 1024;
    const code = await send(url, 2);
    console.log(JSON.stringify({ code, grown: process.resourceUsage().maxRSS * 1024 - before }), "measured");
    process.exit();
  `;
  const child = startFixture({ command: process.execPath, args: ["--input-type=module", "-e", program] });
  onTestFinished(() => child.close());
  const end = await child.stdout.waitFor(" measured", 60_000);
  return JSON.parse(child.stdout.text.slice(0, end - " measured".length)) as { code: string; grown: number };
}

const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const JSON_TYPE = { "content-type": "application/json" };
const STREAM_TYPE = { "content-type": "text/event-stream" };

describe("HttpTransport with a response that is too large", { meta: { covers: ["F30"] } }, () => {
  const zeros = Buffer.alloc(64 * MIB);
  const text = Buffer.alloc(MIB, "x");

  it.each<[string, () => { headers: { [name: string]: string }; piece: Buffer; total: number }]>([
    ["300 MB of JSON", () => ({ headers: JSON_TYPE, piece: text, total: 300 * MIB })],
    ["an endless line of events", () => ({ headers: STREAM_TYPE, piece: text, total: 300 * MIB })],
    ["a gzip bomb of JSON", () => bomb(JSON_TYPE, "gzip", gzipSync(zeros))],
    ["a gzip bomb of events", () => bomb(STREAM_TYPE, "gzip", gzipSync(zeros))],
    ["a deflate bomb", () => bomb(JSON_TYPE, "deflate", deflateSync(zeros))],
    ["a brotli bomb", () => bomb(JSON_TYPE, "br", brotliCompressSync(zeros, QUICKLY))],
  ])("fails with MESSAGE_TOO_LARGE and limits its memory for %s", { timeout: 90_000 }, async (_, make) => {
    const { headers, piece, total } = make();
    let sent: Promise<number> = Promise.resolve(0);
    const server = await startTestHttp(({ path }, response) => {
      if (path.endsWith("/small")) return void response.writeHead(200, JSON_TYPE).end(JSON.stringify(result(1)));
      response.writeHead(200, headers);
      sent = writeRepeatedly(response, piece, total);
    });
    const { code, grown } = await measure(server.url);
    expect(code).toBe("MESSAGE_TOO_LARGE");
    expect(grown).toBeLessThan(6 * CAP);
    // The buffers of the operating system do not count.
    if (!headers["content-encoding"]) expect(await sent).toBeLessThan(3 * CAP);
  });

  function bomb(headers: object, encoding: string, encoded: Buffer) {
    return { headers: { ...headers, "content-encoding": encoding }, piece: encoded, total: encoded.length * 16 };
  }
});

describe("The size limit of a response", { meta: { covers: ["F30"] } }, () => {
  const padded = (size: number) => {
    const empty = JSON.stringify(result(1, ""));
    return JSON.stringify(result(1, "x".repeat(size - empty.length)));
  };

  const plain = (response: ServerResponse, body: string) => response.writeHead(200, JSON_TYPE).end(body);
  const gzipped = (response: ServerResponse, body: string) =>
    response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" }).end(gzipSync(body));

  it.each<[string, number, (response: ServerResponse, body: string) => void]>([
    ["in one chunk", 1000, plain],
    ["in many chunks", 200_000, plain],
    ["compressed", 200_000, gzipped],
  ])("applies exactly to the decompressed body (%s)", async (_, LIMIT, send) => {
    const server = await startTestHttp(({ path }, response) => send(response, padded(Number(path.slice(1)))));
    const { transport, lost, messages } = openHttp(new URL(`/${LIMIT}`, server.url).href, { maxMessageBytes: LIMIT });
    await transport.send(request(1));
    expect(messages).toHaveLength(1);
    const over = openHttp(new URL(`/${LIMIT + 1}`, server.url).href, { maxMessageBytes: LIMIT });
    await over.transport.send(request(1));
    expect(over.lost.get(1)).toMatchObject({ code: "MESSAGE_TOO_LARGE", details: { limitBytes: LIMIT } });
    expect(lost.size).toBe(0);
  });

  it("also applies to a body in chunks of one byte, and such a body does not fill the memory", async () => {
    const chunks = Buffer.from("1\r\nx\r\n".repeat(10_000));
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n");
        const writeMore = () => {
          while (!socket.destroyed && socket.write(chunks));
        };
        socket.on("drain", writeMore);
        writeMore();
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { transport, lost } = openHttp(url, { maxMessageBytes: MIB });
    const before = process.memoryUsage().rss;
    await transport.send(request(1));
    expect(lost.get(1)?.code).toBe("MESSAGE_TOO_LARGE");
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
  });
});
