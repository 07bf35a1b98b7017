/** Tests what the client of a named token can do at a running host, and what happens when its token is revoked. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { addNamedToken, deleteNamedToken, tokenFilePath } from "@plugboard/host/tokens";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { frontWith } from "../helpers/front-requests.ts";
import { startRunningHost } from "../helpers/running-host.ts";
import type { RunningHost } from "../helpers/running-host.ts";

let host: RunningHost;
beforeAll(async () => void (host = await startRunningHost({ s: scriptedLegacy() }, {}, {})));
afterAll(() => host.close());

const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

let count = 0;
async function makeClient(options: { profile?: string; mayApprove?: boolean } = {}) {
  const name = `client-${++count}`;
  const token = await addNamedToken(host.env, { name, mayApprove: false, now: 0, ...options });
  return { name, token, ...frontWith(host, token) };
}

describe("the client of a named token", () => {
  it("gets 404 for the session id of another token", { meta: { covers: ["S18.1"] } }, async () => {
    const [a, b] = [await makeClient(), await makeClient()];
    const session = await a.open();
    const owner = frontWith(host, host.token);
    for (const other of [b, owner]) {
      expect((await other.ping({ session })).status).toBe(404);
      expect((await other.send(undefined, { session, method: "GET" })).status).toBe(404);
      expect((await other.send(undefined, { session, method: "DELETE" })).status).toBe(404);
    }
    expect((await a.ping({ session })).status).toBe(200);
  });

  it("can use neither the control API nor another route", { meta: { covers: ["S16", "S17"] } }, async () => {
    const { send } = await makeClient({ mayApprove: true });
    for (const path of ["/api/v1/channels", "/api/v1/channels/x/workspaces", "/api/v1/events", "/nowhere", "/"]) {
      const response = await send({ kind: "page" }, { path });
      expect([response.status, await response.json()]).toMatchObject([403, { error: { code: "FORBIDDEN" } }]);
    }
  });

  it("needs the user's permission for a call, unless it may approve", async () => {
    const textOf = async (mayApprove: boolean) => {
      const client = await makeClient({ mayApprove });
      const response = await client.call("echo", { text: "hi" }, { session: await client.open() });
      return response.text();
    };
    expect(await textOf(false)).toContain("needs permission");
    expect(await textOf(true)).toContain('"text":"hi"');
  });

  it("is refused at the path of every profile except its own", async () => {
    const bound = await makeClient({ profile: "review" });
    const statusAt = async (path: string) => (await bound.initialize({ path })).status;
    expect(await statusAt("/mcp/p/other")).toBe(403);
    // The config has no profile, and the token must not fall back to all servers.
    expect(await statusAt("/mcp/p/review")).toBe(404);
    expect(await statusAt("/mcp")).toBe(404);
  });
});

/** Resolves when the next call has started. */
async function nextCall({ daemon }: RunningHost): Promise<void> {
  for await (const event of daemon.events()) if (event.type === "call.started") return;
}

describe("a revoked token", () => {
  it("is refused by the next request", { meta: { covers: ["S16"] } }, async () => {
    const client = await makeClient();
    const session = await client.open();
    await deleteNamedToken(host.env, client.name);
    const refused = await client.ping({ session });
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  });

  it("ends the open streams and calls of its sessions", async () => {
    const client = await makeClient({ mayApprove: true });
    const session = await client.open();
    const stream = await client.send(undefined, { session, method: "GET" });
    const started = nextCall(host);
    const call = client.call("hold", {}, { session });
    await started;
    const other = await makeClient();
    const otherSession = await other.open();
    await deleteNamedToken(host.env, client.name);
    expect(await stream.text()).toBe("");
    expect(await (await call).text()).toContain("A valid token is required");
    expect((await other.ping({ session: otherSession })).status).toBe(200);
  });

  it("is refused if the rest of the request arrives after the revocation", { meta: { covers: ["S16"] } }, async () => {
    const client = await makeClient({ mayApprove: true });
    const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: MODERN_META } });
    const sent = request(host.url, {
      method: "POST",
      agent: false,
      headers: {
        authorization: `Bearer ${client.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "content-length": message.length,
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/list",
      },
    });
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    // The host checks the token when it has the headers, and has them when it answers a later request.
    sent.write(message.slice(0, 10));
    await once(sent, "socket");
    await client.open();
    await deleteNamedToken(host.env, client.name);
    expect((await client.initialize()).status).toBe(401);
    sent.on("error", () => {}).end(message.slice(10));
    const [response] = await answered;
    expect(response.statusCode).toBe(401);
    response.resume();
  });

  it("stays invalid, and ends its sessions, if a new token gets its name", async () => {
    const old = await makeClient();
    const session = await old.open();
    await deleteNamedToken(host.env, old.name);
    const token = await addNamedToken(host.env, { name: old.name, mayApprove: false, now: 0 });
    const renewed = frontWith(host, token);
    expect((await old.ping({ session })).status).toBe(401);
    expect((await renewed.ping({ session })).status).toBe(404);
  });
});

it("a damaged token file makes every named token invalid, and the owner's token stays valid", async () => {
  const running = await startRunningHost({});
  onTestFinished(running.close);
  const client = frontWith(running, await addNamedToken(running.env, { name: "a", mayApprove: false, now: 0 }));
  expect((await client.initialize()).status).toBe(200);
  const failed = (async () => {
    for await (const event of running.daemon.events(0)) if (event.type === "state.failed") return event;
    return undefined;
  })();
  await writeFile(tokenFilePath(running.env), "{");
  expect((await client.initialize()).status).toBe(401);
  expect((await frontWith(running, running.token).initialize()).status).toBe(200);
  expect(await failed).toMatchObject({ error: { code: "STORE_UNREADABLE" } });
});
