/** Tests `HostControl`: what a client of the socket learns about the running host, its port, and its end. */
import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { HostEvent } from "@plugboard/contracts";
import type { DaemonOptions } from "@plugboard/daemon";
import { addNamedToken, deleteNamedToken, ownerToken } from "@plugboard/host/tokens";
import { readPidFile, startDaemon } from "@plugboard/daemon";
import { VERSION } from "@plugboard/host";
import { socketPath } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import type { RemoteOptions } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openClient } from "../../../gateway/test/helpers/official-clients.ts";
import { sendToolCall } from "../../../gateway/test/helpers/raw-modern-client.ts";
import type { Channel } from "#control/channels.js";
import { HostController } from "#control/host-controller.js";
import type { HostControllerOptions } from "#control/host-controller.js";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { startRunningHost, testEnv } from "../helpers/running-host.ts";
import type { RunningHost } from "../helpers/running-host.ts";

const PID_SERVER = fileURLToPath(new URL("../../../gateway/test/helpers/pid-server.mjs", import.meta.url));

/** Starts a host without a port, as `plugboard stdio` does. */
async function startBackgroundHost(options: Partial<DaemonOptions> = {}) {
  const { env, remove } = await testEnv();
  await writeFile(env.PLUGBOARD_CONFIG_PATH, "{}");
  const daemon = await startDaemon({ env, startedBy: "background", ...options });
  onTestFinished(async () => {
    await daemon.stop();
    await remove();
  });
  const connect = async (remoteOptions: Partial<RemoteOptions> = {}) => {
    const fetch = nodeHttpFetch({ socketPath: socketPath(env) });
    const remote = await connectRemote({ fetch, version: VERSION, kind: "cli", ...remoteOptions });
    onTestFinished(() => remote.close());
    return remote;
  };
  const spec = { cwd: env.HOME, env, servers: { s: scriptedLegacy() }, permissions: { allow: ["*"] } };
  return { env, daemon, connect, spec };
}

async function isReachable(endpoint: string): Promise<boolean> {
  return fetch(`${endpoint}/healthz`).then(
    () => true,
    () => false,
  );
}

describe("HostControl.info", () => {
  it("describes the process and counts the clients without the caller", async () => {
    const { connect, env } = await startBackgroundHost({ build: "b1" });
    const remote = await connect();
    const clients = { stdio: 0, http: 0, other: 0, sessions: 0, connected: [] };
    const facts = { pid: process.pid, version: VERSION, build: "b1", startedBy: "background" };
    expect(await remote.control.info()).toEqual({
      ...facts,
      startedAt: expect.any(Number) as number,
      clients,
      workspaces: 0,
    });
    expect(remote).toMatchObject({ version: VERSION, build: "b1" });
    expect(await readPidFile(env)).toBe(process.pid);
    expect((await stat(join(dirname(socketPath(env)), "host.pid"))).mode & 0o777).toBe(0o600);
    await connect();
    expect(await remote.control.info()).toMatchObject({ clients: { other: 1 } });
  });

  it.each([
    ["legacy over HTTP", "legacy", "2025-11-25"],
    ["modern over HTTP", "modern", "2026-07-28"],
    ["legacy over stdio", "legacy", "2025-11-25"],
    ["modern over stdio", "modern", "2026-07-28"],
  ] as const)("lists a client that is %s, with its era and its calls", async (kind, era, revision) => {
    const host = await startRunningHost({ s: scriptedLegacy() });
    onTestFinished(host.close);
    const socket = nodeHttpFetch({ socketPath: socketPath(host.env) });
    const remote = await connectRemote({ fetch: socket, version: VERSION, kind: "cli" });
    onTestFinished(() => remote.close());
    const client = await openClient(kind, host, () => ({ action: "cancel" }));
    onTestFinished(() => client.close());
    await vi.waitFor(async () => expect((await client.listTools()).join()).toContain("echo"), 10_000);
    const before = Date.now();
    await client.call("s__echo", { text: "hi" });
    const isHttp = kind.endsWith("HTTP");
    const { port, clients } = await remote.control.info();
    expect(port).toMatchObject({ endpoint: host.daemon.endpoint, kept: true });
    expect(clients).toMatchObject({ http: isHttp ? 1 : 0, stdio: isHttp ? 0 : 1, other: 0 });
    expect(clients.connected).toEqual([
      {
        transport: isHttp ? "http" : "stdio",
        ...(isHttp && { token: "owner" }),
        name: "front",
        version: "1.0.0",
        era,
        revision,
        connectedAt: expect.any(Number) as number,
        calls: 1,
        lastCallAt: expect.any(Number) as number,
      },
    ]);
    expect(clients.connected[0]!.lastCallAt).toBeGreaterThanOrEqual(before);
    // An HTTP client without a session is listed for some minutes.
    if (isHttp) return;
    await client.close();
    await vi.waitFor(async () => expect((await remote.control.info()).clients.connected).toEqual([]), 10_000);
  });

  it("forgets the clients of a revoked token at once, and emits clients.changed", async () => {
    const host = await startRunningHost({ s: scriptedLegacy() });
    onTestFinished(host.close);
    const token = await addNamedToken(host.env, { name: "cursor", profile: undefined, mayApprove: false, now: 0 });
    const client = await openClient("modern over HTTP", { ...host, token }, () => ({ action: "cancel" }));
    onTestFinished(() => client.close());
    const socket = nodeHttpFetch({ socketPath: socketPath(host.env) });
    const remote = await connectRemote({ fetch: socket, version: VERSION, kind: "cli" });
    onTestFinished(() => remote.close());
    const tokens = async () => (await remote.control.info()).clients.connected.map(({ token: name }) => name);
    expect(await tokens()).toEqual(["cursor"]);
    const events = host.daemon.events(0)[Symbol.asyncIterator]();
    const nextChange = async () => {
      for (;;) if (((await events.next()).value as HostEvent).type === "clients.changed") return;
    };
    await nextChange();
    await deleteNamedToken(host.env, "cursor");
    await nextChange();
    expect(await tokens()).toEqual([]);
  });
});

describe("HostControl.listen", () => {
  it("opens a port that serves the caller's workspace, and starts its servers", async () => {
    const { connect, spec, env } = await startBackgroundHost();
    const remote = await connect();
    const { endpoint, port, spec: served } = await remote.control.listen(spec, { port: 0 });
    expect(endpoint).toBe(`http://127.0.0.1:${port}`);
    expect(served).toMatchObject({ cwd: spec.cwd });
    expect(served).not.toHaveProperty("env");
    const host = { url: `${endpoint}/mcp`, token: await ownerToken(env), env, daemon: undefined as never };
    const client = await openClient("legacy over HTTP", { ...host, close: async () => {} }, () => ({
      action: "cancel",
    }));
    onTestFinished(() => client.close());
    await vi.waitFor(async () => expect((await client.listTools()).join()).toContain("echo"), 10_000);
  });

  it("closes the port when the client disconnects, and keeps the host running", async () => {
    const { connect, spec, daemon } = await startBackgroundHost();
    const remote = await connect();
    const { endpoint } = await remote.control.listen(spec, { port: 0 });
    expect(await isReachable(endpoint)).toBe(true);
    await remote.close();
    await vi.waitFor(() => expect(daemon.endpoint).toBeUndefined());
    await vi.waitFor(async () => expect(await isReachable(endpoint)).toBe(false));
    expect(await (await connect()).control.info()).not.toHaveProperty("port");
  });

  it("shares an open port with a second client of the same workspace until both have closed it", async () => {
    const { connect, spec } = await startBackgroundHost();
    const [first, second] = [await connect(), await connect()];
    const opened = await first.control.listen(spec, { port: 0 });
    expect(await second.control.listen({ ...spec, configFiles: [] })).toEqual(opened);
    expect(await first.control.closePort()).toEqual(opened);
    expect(await isReachable(opened.endpoint)).toBe(true);
    expect(await second.control.closePort()).toBeUndefined();
    expect(await isReachable(opened.endpoint)).toBe(false);
    expect(await first.control.info()).toMatchObject({ workspaces: 0 });
  });

  it("cancels the parked calls of the port's clients when the port is closed, and the servers go on", async () => {
    const { connect, spec, daemon, env } = await startBackgroundHost();
    const remote = await connect();
    const asking = { ...spec, servers: { s: { command: process.execPath, args: [PID_SERVER] } } };
    const workspace = await remote.workspace(asking);
    const { endpoint } = await remote.control.listen(asking, { port: 0 });
    const host = { url: `${endpoint}/mcp`, token: await ownerToken(env) } as RunningHost;
    const pid = await workspace.tools.call("s:pid", {});
    expect((await sendToolCall(host, "s__ask")).result).toMatchObject({ resultType: "input_required" });
    const ended = (async () => {
      for await (const event of daemon.events(0)) if (event.type === "call.ended" && event.tool === "ask") return event;
      return undefined;
    })();
    await remote.control.closePort();
    expect(await ended).toMatchObject({ outcome: "failed", code: "CANCELLED" });
    expect(await workspace.tools.call("s:pid", {})).toEqual(pid);
  });

  it("opens one port if two clients ask at the same time", async () => {
    const { connect, spec } = await startBackgroundHost();
    const clients = [await connect(), await connect()];
    const [first, second] = await Promise.all(clients.map(({ control }) => control.listen(spec, { port: 0 })));
    expect(second).toEqual(first);
  });

  it("keeps the port open without its client if asked to", async () => {
    const { connect, spec, daemon } = await startBackgroundHost();
    const remote = await connect();
    const { endpoint } = await remote.control.listen(spec, { port: 0, keep: true });
    expect(await remote.control.closePort()).toMatchObject({ endpoint, kept: true });
    await remote.close();
    const other = await connect();
    await vi.waitFor(async () => expect(await other.control.info()).toMatchObject({ clients: { other: 0 } }));
    expect(daemon.endpoint).toBe(endpoint);
  });

  it("throws HOST_SERVING for another workspace or another port, and PORT_TAKEN for a port in use", async () => {
    const { connect, spec } = await startBackgroundHost();
    const remote = await connect();
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    await expect(remote.control.listen(spec, { port })).rejects.toMatchObject({ code: "PORT_TAKEN" });
    expect(await remote.control.info()).toMatchObject({ workspaces: 0 });
    const { endpoint } = await remote.control.listen(spec, { port: 0 });
    const serving = { code: "HOST_SERVING", details: { endpoint, folder: spec.cwd } };
    const folder = await mkdtemp(join(tmpdir(), "plugboard-folder-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await expect(remote.control.listen({ ...spec, cwd: folder })).rejects.toMatchObject(serving);
    for (const other of [{ port }, { host: "0.0.0.0" }, { publicUrl: "https://mcp.example" }])
      await expect(remote.control.listen(spec, other)).rejects.toMatchObject(serving);
  });

  it("keeps an unused background host alive while the port is open", async () => {
    const clock = new ManualClock();
    const { connect, spec, daemon } = await startBackgroundHost({ clock, exitWhenIdleMs: 5000 });
    const remote = await connect();
    await remote.control.listen(spec, { port: 0, keep: true });
    await remote.close();
    const other = await connect();
    await vi.waitFor(async () => expect(await other.control.info()).toMatchObject({ clients: { other: 0 } }));
    await other.close();
    await vi.waitFor(() => expect(daemon.clients).toBe(0));
    for (let second = 0; second < 60; second++) {
      clock.advance(1000);
      await nextTurn();
    }
    expect(await (await connect()).control.info()).toMatchObject({ port: { kept: true } });
  });
});

describe("HostControl.stop", () => {
  it.each([
    [undefined, 1],
    [{ force: true }, 2],
  ])("asks the host to stop after the response, and a second time to force it: %j", async (options, times) => {
    const stop = vi.fn(() => Promise.resolve());
    const controller = new HostController({ stop } as unknown as HostControllerOptions);
    await controller.forChannel({} as Channel).stop(options);
    expect(stop).not.toHaveBeenCalled();
    await nextTurn();
    expect(stop).toHaveBeenCalledTimes(times);
  });

  it.each([false, true])("stops the host after the response (force: %j)", async (force) => {
    const { connect, daemon, env } = await startBackgroundHost();
    const remote = await connect();
    await remote.control.stop({ force });
    await daemon.ended;
    expect(await remote.ended).toBeUndefined();
    expect(await readPidFile(env)).toBeUndefined();
  });
});

describe("the control of the running host", () => {
  it("is forbidden to clients of the TCP port", async () => {
    const host = await startRunningHost({});
    onTestFinished(host.close);
    const { hostname, port } = new URL(host.url);
    const fetch = nodeHttpFetch({ host: hostname, port: Number(port), token: host.token });
    const page = await connectRemote({ fetch, version: VERSION, kind: "api" });
    onTestFinished(() => page.close());
    for (const refused of [
      () => page.control.info(),
      () => page.control.listen({ cwd: "/" }),
      () => page.control.closePort(),
      () => page.control.stop(),
    ]) {
      await expect(refused()).rejects.toMatchObject({ code: "FORBIDDEN" });
    }
  });

  it("is open to a client of another version, which can do nothing else", async () => {
    const { connect, spec } = await startBackgroundHost();
    await expect(connect({ version: "9.9.9" })).rejects.toMatchObject({ code: "VERSION_SKEW" });
    const remote = await connect({ version: "9.9.9", acceptsAnyVersion: true });
    expect(await remote.control.info()).toMatchObject({ version: VERSION });
    await expect(remote.workspace(spec)).rejects.toMatchObject({
      code: "VERSION_SKEW",
      details: { host: VERSION, client: "9.9.9" },
    });
  });

  it("rejects invalid arguments", async () => {
    const { connect } = await startBackgroundHost();
    const { control } = await connect();
    for (const invalid of [
      () => control.listen(undefined as never),
      () => control.listen({ cwd: "/", port: 1 } as never),
      () => control.listen({ cwd: "/" }, { port: "x" as never }),
      () => control.stop({ now: true } as never),
    ]) {
      await expect(invalid()).rejects.toMatchObject({ code: "USAGE" });
    }
  });
});
