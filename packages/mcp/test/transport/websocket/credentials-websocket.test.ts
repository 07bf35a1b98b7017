/**
 * Tests the credentials of a WebSocket. They are sent with the upgrade request, which is retried once if they are
 * rejected.
 */
import { HostError, systemClock } from "@plugboard/contracts";
import type { Credentials } from "@plugboard/mcp";
import { openWebSocket } from "#transport/websocket/websocket-transport.js";
import type { WebSocketTransportOptions } from "#transport/websocket/websocket-transport.js";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
import { deferred, ScriptedCredentials } from "../../helpers/scripted-credentials.ts";

const challenge = 'Bearer resource_metadata="http://127.0.0.1:9/meta"';
const scope = 'Bearer error="insufficient_scope", scope="write"';

interface Refusal {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
}

/** Upgrades a client that has the token and rejects all others. */
async function guarded(token: string, refusal: Refusal) {
  const refusals = new Map<string, Refusal>();
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const seen: IncomingHttpHeaders[] = [];
  server.on("upgrade", (request, socket, head) => {
    seen.push(request.headers);
    if (request.headers.authorization === `Bearer ${token}`) {
      return sockets.handleUpgrade(request, socket, head, () => {});
    }
    const { status, headers } = refusals.get(request.headers.authorization ?? "") ?? refusal;
    const lines = Object.entries({ ...headers, "content-length": "0" }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join("")}\r\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const sent = () => seen.map(({ authorization }) => authorization);
  const refuse = (shown: string, refusal: Refusal) => refusals.set(`Bearer ${shown}`, refusal);
  return { refuse, url: `ws://127.0.0.1:${port}/mcp?key=secret`, plainUrl: `http://127.0.0.1:${port}/mcp`, sent, seen };
}

async function open(url: string, credentials: Credentials, overrides: Partial<WebSocketTransportOptions> = {}) {
  const headers = { Authorization: "Bearer of the definition", "x-key": "k" };
  const transport = await openWebSocket({
    server: "tested",
    url,
    headers,
    credentials,
    clock: systemClock,
    maxMessageBytes: 1e5,
    ...overrides,
  });
  onTestFinished(() => transport.close());
}

const unauthorized = { status: 401, headers: { "www-authenticate": challenge } };

describe("A WebSocket upgrade whose credentials are rejected", () => {
  it.each<[string, Refusal, object]>([
    ["a new token", unauthorized, { status: 401, challenge }],
    ["more scope", { status: 403, headers: { "www-authenticate": scope } }, { status: 403, challenge: scope }],
    ["a nonce", { status: 401, headers: { "dpop-nonce": "n1" } }, { status: 401, nonce: "n1" }],
  ])("is retried once if the server asks for %s", async (_, refusal, expectedRefusal) => {
    const server = await guarded("b", refusal);
    const credentials = new ScriptedCredentials("a", "b");
    await open(server.url, credentials);
    expect(server.sent()).toEqual(["Bearer a", "Bearer b"]);
    expect(server.seen).toMatchObject([{ "x-key": "k" }, { "x-key": "k" }]);
    expect(credentials.refusals).toEqual([{ refusal: expectedRefusal, sent: { authorization: "Bearer a" } }]);
    // `Credentials` gets an http URL, because the upgrade request is an HTTP request.
    const requested = { method: "GET", url: server.plainUrl };
    expect(credentials.requests).toEqual([requested, requested]);
  });

  it("is retried a second time if only a nonce is missing", async () => {
    const server = await guarded("c", unauthorized);
    const credentials = new ScriptedCredentials("a", "b", "c");
    const nonce = { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": "n1" };
    server.refuse("b", { status: 401, headers: nonce });
    await open(server.url, credentials);
    expect(server.sent()).toEqual(["Bearer a", "Bearer b", "Bearer c"]);
  });

  it.each<[string, ScriptedCredentials, sent: string[]]>([
    ["the new credentials are rejected too", new ScriptedCredentials("a", "b", "c"), ["Bearer a", "Bearer b"]],
    ["there are no other credentials", new ScriptedCredentials("a"), ["Bearer a"]],
  ])("fails with AUTH_REQUIRED if %s", async (_, credentials, sent) => {
    const server = await guarded("none", unauthorized);
    await expect(open(server.url, credentials)).rejects.toMatchObject({
      code: "AUTH_REQUIRED",
      details: { server: "tested" },
      cause: { status: 401, challenge },
    });
    expect(server.sent()).toEqual(sent);
    expect(credentials.refusals).toHaveLength(1);
  });

  it("is not retried if it was rejected for another reason", async () => {
    const server = await guarded("b", { status: 403, headers: {} });
    const credentials = new ScriptedCredentials("a", "b");
    await expect(open(server.url, credentials)).rejects.toMatchObject({ code: "UNEXPECTED_RESPONSE" });
    expect(server.sent()).toEqual(["Bearer a"]);
    expect(credentials.refusals).toEqual([]);
  });

  it("fails with the error of `Credentials` if new credentials can't be fetched", async () => {
    const failed = new HostError("LOGIN_FAILED", { server: "tested", reason: "the refresh token is spent" });
    const server = await guarded("b", unauthorized);
    const credentials = new ScriptedCredentials("a", "b");
    credentials.onUnauthorized = () => Promise.reject(failed);
    await expect(open(server.url, credentials)).rejects.toBe(failed);
    expect(server.sent()).toEqual(["Bearer a"]);
  });
});

it.each<["headers" | "onUnauthorized", sent: string[]]>([
  ["headers", []],
  ["onUnauthorized", ["Bearer a"]],
])("openWebSocket waits for credentials (%s) until it is aborted, without a timeout", async (waitsIn, sent) => {
  const clock = new ManualClock();
  const server = await guarded("b", unauthorized);
  const credentials = new ScriptedCredentials("a", "b");
  const requested = deferred<void>();
  credentials[waitsIn] = () => {
    requested.resolve();
    return new Promise<never>(() => {});
  };
  const abort = new AbortController();
  const opening = open(server.url, credentials, { clock, signal: abort.signal });
  const rejected = expect(opening).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await requested.promise;
  expect(clock.pendingTimers).toBe(0);
  abort.abort();
  await rejected;
  expect(server.sent()).toEqual(sent);
});
