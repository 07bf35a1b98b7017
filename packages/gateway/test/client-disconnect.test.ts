/** Tests gateway clients that disconnect during a call: the server gets a cancellation. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { controlPaths } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { socketPath } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import type { RemoteWorkspace } from "@plugboard/remote";
import { nodeHttpFetch, openUpgradedStream } from "@plugboard/remote/node";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ManualClock } from "../../contracts/test/helpers/manual-clock.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

const TOOL = "s__hold";

async function startHost() {
  const { command, args } = scriptedLegacy();
  // The server writes its stderr to a file, which the test reads.
  const shell = ["-c", 'exec "$@" 2>"${HOME}/stderr.log"', "sh", command, ...args];
  const clock = new ManualClock();
  const host = await startRunningHost({ s: { command: "sh", args: shell, env: { HOME: "${HOME}" } } }, { clock });
  onTestFinished(host.close);
  const stderr = () => readFile(join(host.env["HOME"]!, "stderr.log"), "utf8");
  const waitForLog = (text: string) =>
    vi.waitFor(async () => expect(await stderr()).toContain(text), { timeout: 10_000 });
  return { host, clock, stderr, waitForLog };
}

const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "front", version: "1" },
};
const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const message = (id: number, method: string, params: object) => JSON.stringify({ jsonrpc: "2.0", id, method, params });

/** Connects a legacy HTTP client and starts a call that the server does not answer. */
async function holdOverHttp({ url, token }: RunningHost) {
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${token}`,
  };
  const opened = await fetch(url, { method: "POST", headers, body: message(1, "initialize", initialize) });
  await opened.body?.cancel();
  headers["mcp-session-id"] = opened.headers.get("mcp-session-id")!;
  const abort = new AbortController();
  const body = message(2, "tools/call", { name: TOOL, arguments: {} });
  const call = fetch(url, { method: "POST", headers, body, signal: abort.signal }).catch(() => {});
  return {
    call,
    leave: () => abort.abort(),
    endSession: () => fetch(url, { method: "DELETE", headers }),
  };
}

describe("a gateway client that disconnects during a call", { meta: { covers: ["F43"] } }, () => {
  it("has 30 seconds to reconnect over legacy HTTP before its call is cancelled", async () => {
    const { host, clock, stderr, waitForLog } = await startHost();
    const { call, leave } = await holdOverHttp(host);
    await waitForLog("holding ");
    // Starts the stream of the response, which the client could resume.
    clock.advance(100);
    const timers = clock.pendingTimers;
    leave();
    await call;
    await vi.waitFor(() => expect(clock.pendingTimers).toBe(timers + 1), { timeout: 10_000 });
    clock.advance(29_999);
    // When this call is answered, the server has read all earlier messages.
    await host.daemon.workspace.tools.call("s:echo", { text: "on" });
    expect(await stderr()).not.toContain("cancelled ");
    clock.advance(1);
    await waitForLog("cancelled ");
  });

  it(
    "has its call cancelled at once if it ends its legacy HTTP session",
    { meta: { covers: ["F43", "R2.18", "R2.135"] } },
    async () => {
      const { host, waitForLog } = await startHost();
      const { endSession } = await holdOverHttp(host);
      await waitForLog("holding ");
      expect((await endSession()).status).toBe(200);
      await waitForLog("cancelled ");
    },
  );

  it.each([
    ["legacy", [message(1, "initialize", initialize), message(2, "tools/call", { name: TOOL, arguments: {} })]],
    ["modern", [message(1, "tools/call", { name: TOOL, arguments: {}, _meta: modernMeta })]],
  ])("has its call cancelled when its stdio input ends (%s client)", async (_, lines) => {
    const { host, waitForLog } = await startHost();
    const path = socketPath(host.env);
    const api = await connectRemote({ fetch: nodeHttpFetch({ socketPath: path }), version: VERSION, kind: "cli" });
    onTestFinished(() => api.close());
    const workspace = (await api.workspace({ cwd: host.env["HOME"]!, env: host.env })) as RemoteWorkspace;
    await workspace.start();
    const stream = await openUpgradedStream(path, controlPaths.invoke(api.channel, workspace.id, "stdio"), {});
    stream.write(`${lines.join("\n")}\n`);
    await waitForLog("holding ");
    stream.end();
    await waitForLog("cancelled ");
  });
});
