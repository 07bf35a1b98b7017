/** Tests the errors for network failures and invalid responses. */
import { readFileSync } from "node:fs";
import { once } from "node:events";
import { createServer as createPlain } from "node:net";
import type { AddressInfo } from "node:net";
import { createServer as createSecure } from "node:https";
import type { ServerResponse } from "node:http";
import type { HostError } from "@plugboard/contracts";
import type { AuthRefusal } from "#transport/http/http-status-error.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { sseEvent, openHttp, request, result, startTestHttp } from "../../helpers/open-http.ts";

const certificate = (name: string) => readFileSync(new URL(`../../certificates/${name}.pem`, import.meta.url));

async function failure(url: string, options = {}): Promise<HostError> {
  const { transport, lost } = openHttp(url, options);
  await transport.send(request(1));
  const error = lost.get(1);
  if (!error) throw new Error("it did not fail");
  return error;
}

async function secureServer(name: string): Promise<string> {
  const server = createSecure({ key: certificate("key"), cert: certificate(name) }, (_, response) => response.end());
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const JSON_TYPE = { "content-type": "application/json" };
type Answer = (response: ServerResponse) => void;

describe("HttpTransport", { meta: { covers: ["F29"] } }, () => {
  it.each<[string, Answer, { code: string; message: RegExp }]>([
    [
      "a connection reset before the response",
      (r) => r.destroy(),
      { code: "CONNECTION_LOST", message: /UND_ERR_SOCKET/ },
    ],
    [
      "a connection reset within the response",
      (r) => r.writeHead(200, { ...JSON_TYPE, "content-length": 100 }).write("{", () => r.destroy()),
      { code: "CONNECTION_LOST", message: /lost/ },
    ],
    [
      "a stream that ends without a response",
      (r) => r.writeHead(200, { "content-type": "text/event-stream" }).end(": bye\n\n"),
      { code: "CONNECTION_LOST", message: /ended without a response/ },
    ],
    [
      "truncated JSON",
      (r) => r.writeHead(200, JSON_TYPE).end('{"jsonrpc":"2.0","id":1,"result":{'),
      unexpected(/not JSON/),
    ],
    ["an empty body", (r) => r.writeHead(200, JSON_TYPE).end(), unexpected(/an empty body/)],
    [
      "an HTML page",
      (r) => r.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      unexpected(/200 with text\/html/),
    ],
    ["a missing content type", (r) => r.writeHead(200).end("{}"), unexpected(/200 with no content type/)],
    ["status 202 to a request", (r) => r.writeHead(202).end(), unexpected(/without responding/)],
    ["a response to another request", (r) => answer(r, result(7)), unexpected(/not the response/)],
    ["status 400", (r) => r.writeHead(400).end(), unexpected(/HTTP status 400/)],
    ["status 404 without a session", (r) => r.writeHead(404).end(), unexpected(/HTTP status 404/)],
    ["status 405", (r) => r.writeHead(405).end(), unexpected(/HTTP status 405/)],
    ["an unknown content encoding", (r) => encoded(r, "zstd", "{}"), unexpected(/encoded as "zstd"/)],
    ["invalid compressed data", (r) => encoded(r, "gzip", "not gzip"), unexpected(/compressed data is invalid/)],
    [
      "status 500 with HTML",
      (r) => r.writeHead(500, { "content-type": "text/html" }).end("<p>"),
      { code: "SERVER_UNREACHABLE", message: /HTTP status 500/ },
    ],
    ["status 429", (r) => r.writeHead(429).end(), { code: "SERVER_OVERLOADED", message: /HTTP status 429/ }],
    ["status 401", (r) => r.writeHead(401).end(), { code: "AUTH_REQUIRED", message: /login/ }],
  ])("fails a request with the right error code for %s", async (_, onRequest, { code, message }) => {
    const server = await startTestHttp((__, response) => onRequest(response));
    const error = await failure(server.url);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    if (code === "UNEXPECTED_RESPONSE") expect(error.details).toHaveProperty("status");
  });

  it("reports a refused connection as unreachable", async () => {
    const error = await failure("http://127.0.0.1:9/mcp");
    expect(error).toMatchObject({
      code: "SERVER_UNREACHABLE",
      details: { reason: expect.stringMatching(/^ECONNREFUSED/) },
    });
  });

  it("reports an untrusted certificate as a TLS failure", async () => {
    const error = await failure(await secureServer("self-signed"));
    expect(error).toMatchObject({ code: "TLS_FAILED", details: { reason: expect.stringMatching(/SELF_SIGNED/) } });
  });

  it("reports an expired certificate as a TLS failure", async () => {
    const error = await failure(await secureServer("expired"));
    expect(error).toMatchObject({ code: "TLS_FAILED", details: { reason: expect.stringMatching(/EXPIRED/) } });
  });

  it("reports a server that does not use TLS as a TLS failure", async () => {
    const server = await startTestHttp(() => {});
    const error = await failure(server.url.replace("http:", "https:"));
    expect(error).toMatchObject({
      code: "TLS_FAILED",
      details: { reason: expect.stringMatching(/wrong version number/) },
    });
  });

  it("reports a server that disconnects during the TLS handshake as temporarily unreachable", async () => {
    const server = createPlain((socket) => socket.destroy());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const error = await failure(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(error.code).toBe("SERVER_UNREACHABLE");
  });

  it("reports CONNECTION_LOST for a server that does not speak HTTP", async () => {
    const server = createPlain((socket) => socket.once("data", () => socket.end("SSH-2.0-OpenSSH\r\n")));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const error = await failure(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(error).toMatchObject({
      code: "CONNECTION_LOST",
      details: { reason: expect.stringMatching(/does not match the HTTP/) },
    });
  });

  it("reports an invalid header without quoting it", async () => {
    const error = await failure("http://127.0.0.1:9/", { headers: { "x-key": "secret\nvalue" } });
    expect(error.code).toBe("SERVER_INVALID");
    expect(error.message).toMatch(/x-key/);
    expect(error.message).not.toMatch(/secret/);
  });
});

describe("An overloaded server", { meta: { covers: ["F24"] } }, () => {
  it.each<[string, number, string | undefined, object]>([
    ["sends Retry-After", 503, "2", { status: 503, retryAfterMs: 2000 }],
    ["sends 429 with Retry-After", 429, "86400", { status: 429, retryAfterMs: 86_400_000 }],
    ["sends a Retry-After in the past", 503, "-1", { status: 503, retryAfterMs: 0 }],
    ["sends an invalid Retry-After", 503, "soon", { status: 503 }],
    ["sends no Retry-After", 503, undefined, { status: 503 }],
  ])("causes SERVER_OVERLOADED, and the request is not retried, if it %s", async (_, status, retryAfter, details) => {
    const server = await startTestHttp((__, response) => {
      const refusal = { jsonrpc: "2.0", id: 1, error: { code: -32000, message: "busy" } };
      response.writeHead(status, { ...JSON_TYPE, ...(retryAfter !== undefined && { "retry-after": retryAfter }) });
      response.end(JSON.stringify(refusal));
    });
    const error = await failure(server.url);
    expect(error.code).toBe("SERVER_OVERLOADED");
    expect(error.details).toEqual({ server: "tested", ...details });
    expect(server.requests).toHaveLength(1);
  });

  it("causes SERVER_OVERLOADED for a notification too", async () => {
    const server = await startTestHttp((_, response) => void response.writeHead(503, { "retry-after": "1" }).end());
    const { transport } = openHttp(server.url);
    await expect(transport.send({ jsonrpc: "2.0", method: "notifications/x" })).rejects.toMatchObject({
      code: "SERVER_OVERLOADED",
      details: { retryAfterMs: 1000 },
    });
  });
});

describe("A server that requires a login", () => {
  const CHALLENGE = 'Bearer resource_metadata="https://a.test/.well-known/x", error="invalid_token"';

  it.each<[string, number, string | string[] | undefined, AuthRefusal]>([
    ["sends one challenge", 401, CHALLENGE, { status: 401, challenge: CHALLENGE }],
    ["sends several challenges", 401, ["Basic", "Bearer"], { status: 401, challenge: "Basic, Bearer" }],
    ["sends no challenge", 401, undefined, { status: 401 }],
    [
      "asks for more scope",
      403,
      'Bearer error="insufficient_scope", scope="files:write"',
      { status: 403, challenge: 'Bearer error="insufficient_scope", scope="files:write"' },
    ],
  ])(
    "causes AUTH_REQUIRED with its challenge in the cause, not in the message, if it %s",
    async (_, status, challenge, cause) => {
      const server = await startTestHttp((__, response) => {
        response.writeHead(status, { ...JSON_TYPE, ...(challenge !== undefined && { "www-authenticate": challenge }) });
        response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: "no" } }));
      });
      const error = await failure(server.url);
      expect(error).toMatchObject({ code: "AUTH_REQUIRED", details: { server: "tested" } });
      expect(error.cause).toEqual(cause);
      expect(JSON.stringify(error)).not.toMatch(/Bearer|Basic/);
    },
  );

  it("is not confused with a server that rejects a request with 403 for another reason", async () => {
    const server = await startTestHttp(
      (_, response) => void response.writeHead(403, { "www-authenticate": "Bearer" }).end(),
    );
    expect((await failure(server.url)).code).toBe("UNEXPECTED_RESPONSE");
  });
});

it("HttpTransport reads a compressed response although it did not ask for compression", async () => {
  const { brotliCompressSync, deflateSync, gzipSync } = await import("node:zlib");
  const ways = {
    gzip: gzipSync,
    "x-gzip": gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    identity: Buffer.from,
  };
  for (const [name, encode] of Object.entries(ways)) {
    const server = await startTestHttp((_, response) => {
      encoded(response, name, (encode as (text: string) => Buffer)(JSON.stringify(result(1, name))));
    });
    const { transport, messages } = openHttp(server.url);
    await transport.send(request(1));
    expect(messages).toMatchObject([{ incoming: { message: { result: { text: name } } }, via: 1 }]);
    expect(server.requests[0]?.headers["accept-encoding"]).toBeUndefined();
  }
});

it("HttpTransport reads a compressed stream event by event", async () => {
  const { createGzip, constants } = await import("node:zlib");
  const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
  const server = await startTestHttp((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
    gzip.pipe(response);
    gzip.write(sseEvent({ jsonrpc: "2.0", method: "notifications/x" }));
  });
  const { transport, lost, messages } = openHttp(server.url, {}, { message: () => gzip.end(sseEvent(result(1))) });
  await transport.send(request(1));
  expect(messages.map(({ incoming }) => incoming.type)).toEqual(["notification", "result"]);
  expect(lost.size).toBe(0);
});

function unexpected(message: RegExp) {
  return { code: "UNEXPECTED_RESPONSE", message };
}

function answer(response: ServerResponse, body: object): void {
  response.writeHead(200, JSON_TYPE).end(JSON.stringify(body));
}

function encoded(response: ServerResponse, encoding: string, body: string | Buffer): void {
  response.writeHead(200, { ...JSON_TYPE, "content-encoding": encoding }).end(body);
}
