/** Tests which requests the TCP port accepts. Host, Origin and the token are checked on every route. */
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { systemClock } from "@plugboard/contracts";
import { isPortOpen, otherAddresses } from "@plugboard/testkit/other-addresses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkTcpOrigin, originHeaders } from "#http/check-origin.js";
import { startRunningHost } from "../helpers/running-host.ts";
import type { RunningHost } from "../helpers/running-host.ts";

let host: RunningHost;
/** Moves the clock of the host forward, because it refuses more than a hundred wrong tokens in a minute. */
let addedMs = 0;
const clock = { ...systemClock, steady: () => performance.now() + addedMs };
beforeAll(async () => void (host = await startRunningHost({}, { clock })));
afterAll(() => host.close());

interface PortRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
}

/** Sends a request and returns the status. Uses node:http, because `fetch` does not send a wrong Host or Origin. */
function statusOf({ path, method = "GET", headers = {} }: PortRequest): Promise<number> {
  const { port } = new URL(host.url);
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on("error", reject).end();
  });
}

const routes = [
  "/mcp",
  "/api/v1/channels",
  "/api/v1/channels/x/events",
  "/api/v1/channels/x/workspaces",
  "/api/v1/channels/x/workspaces/y/status",
  "/api/v1/channels/x/host/host.info",
  "/api/v1/events",
  "/api/channels",
  "/metrics",
  "/",
  "/nowhere",
  "/mcp/p/x",
];
const methods = ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"];
const guardedRoutes = routes.flatMap((path) => methods.map((method) => ({ path, method })));
/** Returns true for all routes except the files of the page, which anybody on this machine may read. */
const needsToken = ({ path, method }: { path: string; method: string }) =>
  path !== "/" || !["GET", "HEAD"].includes(method);
const bearer = () => ({ authorization: `Bearer ${host.token}` });

describe("the TCP port", () => {
  it.each([...guardedRoutes, { path: "/healthz", method: "GET" }, { path: "/page/session", method: "POST" }])(
    "rejects $method $path with 403 if Host or Origin is wrong, even with the token",
    { meta: { covers: ["S16"] } },
    async (route) => {
      for (const headers of [
        { host: "evil.example" },
        { host: "127.0.0.1:1" },
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: "http://127.0.0.1.evil.example" },
      ]) {
        expect(await statusOf({ ...route, headers: { ...bearer(), ...headers } }), JSON.stringify(headers)).toBe(403);
      }
    },
  );

  it.each(guardedRoutes.filter(needsToken))(
    "rejects $method $path with 401 without a valid token",
    { meta: { covers: ["S16"] } },
    async (route) => {
      addedMs += 60_000;
      for (const headers of [
        {},
        { authorization: "Bearer garbage" },
        { authorization: "Basic b3duZXI6eA==" },
        { authorization: "Bearer " },
        { authorization: host.token },
        { authorization: `Bearer ${host.token.slice(0, 20)}` },
        { authorization: `Bearer ${host.token.slice(0, 20).padEnd(host.token.length, "x")}` },
      ]) {
        expect(await statusOf({ ...route, headers }), JSON.stringify(headers)).toBe(401);
      }
    },
  );

  it("answers /healthz without a token, with nothing but `ok`", async () => {
    const response = await fetch(new URL("/healthz", host.url));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ok: true });
  });

  it("accepts its own names as Host and Origin", async () => {
    const { port } = new URL(host.url);
    for (const name of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
      const headers = { ...bearer(), host: name, origin: `http://${name}` };
      expect(await statusOf({ path: "/nowhere", headers })).toBe(404);
    }
  });

  it("listens on loopback only", { meta: { covers: ["S16"] } }, async () => {
    const port = Number(new URL(host.url).port);
    expect(await isPortOpen("127.0.0.1", port)).toBe(true);
    const others = otherAddresses();
    expect(others).not.toEqual([]);
    for (const address of others) expect(await isPortOpen(address, port), address).toBe(false);
  });

  it("answers an unknown session id with 404 and a missing one with 405", { meta: { covers: ["S18"] } }, async () => {
    const headers = { ...bearer(), "mcp-session-id": "made-up" };
    expect(await statusOf({ path: "/mcp", headers })).toBe(404);
    expect(await statusOf({ path: "/mcp", method: "DELETE", headers })).toBe(404);
    expect(await statusOf({ path: "/mcp", headers: bearer() })).toBe(405);
  });

  it("rejects a workspace that defines a server with a command", { meta: { covers: ["S17", "R3.74"] } }, async () => {
    const headers = { ...bearer(), "content-type": "application/json", "x-plugboard-version": "0.1.0" };
    const base = new URL("/api/v1/channels", host.url);
    const opened = await fetch(base, { method: "POST", headers, body: JSON.stringify({ kind: "api" }) });
    const reader = opened.body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    const { channel } = JSON.parse(first.slice("data: ".length)) as { channel: string };
    const spec = { cwd: "/", servers: { x: { command: "sh", args: ["-c", "id"] } } };
    const refused = await fetch(`${base.href}/${channel}/workspaces`, {
      method: "POST",
      headers,
      body: JSON.stringify(spec),
    });
    expect(refused.status).toBe(403);
    await reader.cancel();
  });

  it(
    "rejects a request body with too many values and serves the next request",
    { meta: { covers: ["A17"] } },
    async () => {
      const headers = { ...bearer(), "content-type": "application/json", "x-plugboard-version": "0.1.0" };
      const body = `{"kind":"api","a":[${"[],".repeat(600_000)}0]}`;
      const refused = await fetch(new URL("/api/v1/channels", host.url), { method: "POST", headers, body });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ error: { code: "USAGE" } });
      expect(await statusOf({ path: "/healthz" })).toBe(200);
    },
  );
});

describe("a request that a proxy has passed on", { meta: { covers: ["S35"] } }, () => {
  const local = { localPort: 7431, remoteAddress: "127.0.0.1", publicOrigin: undefined };
  const withPublic = { ...local, publicOrigin: "https://mcp.example.com" };
  const headers = (name: string, value = "x") => originHeadersOf({ host: "127.0.0.1:7431", [name]: value });
  const FORWARDING = [
    "forwarded",
    "x-forwarded",
    "via",
    "x-real-ip",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
  ];

  it.each(FORWARDING)("counts as public because of its header %s, also under the local name", (name) => {
    expect(checkTcpOrigin(headers(name), withPublic)).toBe("public");
    expect(checkTcpOrigin(headers("accept"), withPublic)).toBe("local");
  });

  it.each(FORWARDING)("is refused because of its header %s if there is no public name", async (name) => {
    expect(checkTcpOrigin(headers(name), local)).toMatchObject({ code: "FORBIDDEN" });
    for (const path of ["/", "/healthz", "/mcp", "/api/v1/events", "/metrics"])
      expect(await statusOf({ path, headers: { ...bearer(), [name]: "1.2.3.4" } }), path).toBe(403);
  });

  it("is refused even if its header comes after more headers than Node keeps by default", async () => {
    const many = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`a${index}`, "b"]));
    expect(await statusOf({ path: "/healthz", headers: many })).toBe(200);
    expect(await statusOf({ path: "/healthz", headers: { ...many, "x-forwarded-for": "1.2.3.4" } })).toBe(403);
  });
});

function originHeadersOf(headers: { readonly [name: string]: string }) {
  return originHeaders({ headers, rawHeaders: Object.entries(headers).flat() } as unknown as IncomingMessage);
}
