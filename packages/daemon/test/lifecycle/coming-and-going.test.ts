/** Tests that clients that come and go leave nothing behind: no session, channel, workspace, socket or listener. */
import { once } from "node:events";
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { controlPaths } from "@plugboard/contracts";
import type { HostApi, HostEvent } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { socketPath } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import type { RemoteWorkspace } from "@plugboard/remote";
import { nodeHttpFetch, openUpgradedStream } from "@plugboard/remote/node";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startRunningHost } from "../helpers/running-host.ts";
import type { RunningHost } from "../helpers/running-host.ts";

const FRONTS = 200;
const AT_ONCE = 10;
const MODERN = "2026-07-28";

describe("200 clients that come and go", { timeout: 60_000 }, () => {
  it("leave no session, channel, workspace, socket or listener behind", async () => {
    const host = await startRunningHost({ s: scriptedLegacy() });
    onTestFinished(host.close);
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const kinds = [legacyFront, modernFront, stdioFront, vanishingFront];
    // The first client of each kind makes the host create what it keeps, such as compiled schemas.
    for (const front of kinds) await front(host);
    const remote = await connect(host);
    onTestFinished(() => remote.close());
    const leftOver = async (): Promise<Record<string, number>> => {
      const { clients, workspaces } = await remote.control.info();
      // Modern clients over HTTP are left out, because they are listed for some minutes after their last request.
      const { stdio, other, sessions, connected } = clients;
      const ended = connected.filter(({ transport, era }) => transport === "stdio" || era === "legacy").length;
      return { stdio, other, sessions, ended, workspaces, ...countResources() };
    };
    const none = { stdio: 0, sessions: 0, ended: 0, other: 0, workspaces: 1 };
    await vi.waitFor(async () => expect(await leftOver()).toMatchObject(none));
    const before = await leftOver();
    let next = 0;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (next < FRONTS) await kinds[next++ % kinds.length]!(host);
      }),
    );
    // The counts may even be lower, because some pipes of the first clients close only after `before` was counted.
    await vi.waitFor(async () => {
      for (const [kind, count] of Object.entries(await leftOver())) {
        expect(count, kind).toBeLessThanOrEqual(before[kind] ?? 0);
      }
    }, 10_000);
    expect(warnings).toEqual([]);
    expect(await host.daemon.workspace.tools.call("s:echo", { text: "still here" })).toMatchObject({
      content: [{ text: "still here" }],
    });
  });
});

describe("a client that leaves during its calls", () => {
  it.each(["hold", "ask"])(
    "cancels the call of %s, even if the host notices the end of its channel first",
    async (tool) => {
      const host = await startRunningHost({});
      onTestFinished(host.close);
      const fetch = nodeHttpFetch({ socketPath: socketPath(host.env) });
      const client = await connectRemote({ fetch, version: VERSION, kind: "program", attended: true });
      // Only this workspace has the server, so the server is stopped with the channel.
      const own = { cwd: host.env["HOME"]!, servers: { own: scriptedLegacy() }, permissions: { allow: ["*"] } };
      const workspace = await client.workspace(own);
      await workspace.servers.connect("own");
      const ended = firstEvent(host.daemon, "call.ended");
      const call = workspace.tools.call({ server: "own", tool }, {}).catch(() => {});
      const stderr = async () => (await workspace.servers.detail("own")).stderr;
      if (tool === "hold") await vi.waitFor(async () => expect(await stderr()).toContain("holding"), 10_000);
      else await firstEvent(client, "question.asked");
      // Ends the channel, but not the request of the call.
      await client.close();
      expect(await ended).toMatchObject({ tool, code: "CANCELLED" });
      await call;
    },
  );
});

async function firstEvent({ events }: Pick<HostApi, "events">, type: HostEvent["type"]) {
  for await (const event of events(0)) if (event.type === type) return event;
  return undefined;
}

/** Opens a session, calls a tool, and ends the session. */
async function legacyFront(host: RunningHost): Promise<void> {
  const clientInfo = { name: "x", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const opened = await post(host, { id: 1, method: "initialize", params });
  const session = { "mcp-session-id": String(opened.headers["mcp-session-id"]) };
  await json(opened);
  const called = await post(host, { id: 2, method: "tools/call", params: ECHO }, session);
  expect(await read(called)).toContain('"text":"hi"');
  const ended = await send(host, "DELETE", undefined, session);
  expect(ended.statusCode).toBe(200);
  ended.resume();
  await once(ended, "close");
}

async function modernFront(host: RunningHost): Promise<void> {
  const key = "io.modelcontextprotocol/";
  const _meta = {
    [`${key}protocolVersion`]: MODERN,
    [`${key}clientInfo`]: { name: "x", version: "1" },
    [`${key}clientCapabilities`]: {},
  };
  const headers = { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": ECHO.name };
  const called = await post(host, { id: 1, method: "tools/call", params: { ...ECHO, _meta } }, headers);
  expect(await read(called)).toContain('"text":"hi"');
}

/** Connects as `plugboard stdio` does, calls a tool, and disconnects. */
async function stdioFront(host: RunningHost): Promise<void> {
  const { remote, stream } = await openBridge(host);
  stream.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: ECHO })}\n`);
  expect(String((await once(stream, "data"))[0])).toContain('"text":"hi"');
  stream.end();
  await once(stream, "close");
  await remote.close();
}

/** Disconnects while the tool runs. */
async function vanishingFront(host: RunningHost): Promise<void> {
  const { remote, stream } = await openBridge(host);
  const params = { name: "s__hold", arguments: {} };
  stream.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`);
  stream.destroy();
  await remote.close();
}

async function openBridge(host: RunningHost) {
  const { env } = host;
  const remote = await connect(host);
  const workspace = (await remote.workspace({ cwd: env["HOME"]!, env })) as RemoteWorkspace;
  await workspace.start();
  const stream = await openUpgradedStream(
    socketPath(env),
    controlPaths.invoke(remote.channel, workspace.id, "stdio"),
    {},
  );
  return { remote, stream };
}

function connect({ env }: RunningHost) {
  const fetch = nodeHttpFetch({ socketPath: socketPath(env) });
  return connectRemote({ fetch, version: VERSION, kind: "cli" });
}

const ECHO = { name: "s__echo", arguments: { text: "hi" } };

function post(host: RunningHost, message: object, headers: object = {}): Promise<IncomingMessage> {
  return send(host, "POST", JSON.stringify({ jsonrpc: "2.0", ...message }), headers);
}

/** Uses a connection of its own, so that no agent keeps sockets open. */
function send({ url, token }: RunningHost, method: string, body: string | undefined, headers: object) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sent = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    };
    request(url, { method, agent: false, headers: sent }, resolve).on("error", reject).end(body);
  });
}

async function read(response: IncomingMessage): Promise<string> {
  const chunks: string[] = [];
  for await (const chunk of response) chunks.push(String(chunk));
  return chunks.join("");
}

/** Counts the sockets, pipes and child processes of this process, which runs the host and its clients. */
function countResources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const type of process.getActiveResourcesInfo()) {
    if (COUNTED.has(type)) counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}

const COUNTED = new Set(["TCPSocketWrap", "TCPServerWrap", "PipeWrap", "PipeServerWrap", "ProcessWrap"]);
