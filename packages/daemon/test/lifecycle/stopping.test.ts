/** Tests how the running host stops: the time that servers get to stop, and pending requests. */
import { once } from "node:events";
import { mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { controlPaths } from "@plugboard/contracts";
import type { HostError } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { socketPath } from "@plugboard/store";
import type { Host } from "@plugboard/host/core";
import { connectRemote } from "@plugboard/remote";
import type { RemoteWorkspace } from "@plugboard/remote";
import { nodeHttpFetch, openUpgradedStream } from "@plugboard/remote/node";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { Channels } from "#control/channels.js";
import { SOCKET_DOOR } from "#control/door.js";
import { watchIdle, watchSocket } from "#lifecycle/lifetime.js";
import { sendToolCall } from "../../../gateway/test/helpers/raw-modern-client.ts";
import { openClient } from "../../../gateway/test/helpers/official-clients.ts";
import { startRunningHost } from "../helpers/running-host.ts";
import type { RunningHost } from "../helpers/running-host.ts";

describe("a server that stops slowly", () => {
  /** When its input ends, the server writes "flushing", waits for the file `go`, then writes "flushed". */
  async function open(clock: ManualClock) {
    const { command, args } = scriptedLegacy();
    const flush = `trap "" TERM; "$@"; echo flushing >"$HOME/log"; until [ -e "$HOME/go" ]; do sleep 0.02; done; echo flushed >"$HOME/log"`;
    const server = { command: "sh", args: ["-c", flush, "sh", command, ...args], env: { HOME: "${HOME}" } };
    const host = await startRunningHost({ server }, { clock });
    onTestFinished(host.close);
    const log = () => readFile(join(host.env["HOME"]!, "log"), "utf8");
    await vi.waitFor(() => stat(socketPath(host.env)));
    const stopped = host.daemon.stop();
    await vi.waitFor(async () => expect(await log()).toBe("flushing\n"), 10_000);
    return { host, log, stopped, letServerFinish: () => writeFile(join(host.env["HOME"]!, "go"), "") };
  }

  it("gets all of its time to stop after one request to stop the host", { meta: { covers: ["F44"] } }, async () => {
    const clock = new ManualClock();
    const { host, log, stopped, letServerFinish } = await open(clock);
    clock.advance(60_000);
    // The socket is already gone. If it were still watched, the host would have been stopped a second time by now.
    await expect(stat(socketPath(host.env))).rejects.toThrow("ENOENT");
    await letServerFinish();
    await stopped;
    expect(await log()).toBe("flushed\n");
  });

  it("is killed at once by a second request to stop the host", { meta: { covers: ["F44"] } }, async () => {
    const { host, log, stopped } = await open(new ManualClock());
    await Promise.all([host.daemon.stop(), stopped]);
    expect(await log()).toBe("flushing\n");
  });
});

describe("watchSocket", () => {
  /**
   * Replaces the watched socket by another file. Calls `onCheck` while the watch checks it. Returns the mock `stop`.
   */
  async function watchReplacedSocket(onCheck: (stopping: AbortController) => void) {
    const folder = await mkdtemp(join(tmpdir(), "plugboard-socket-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, "host.sock");
    await writeFile(file, "own");
    const stopping = new AbortController();
    onTestFinished(() => stopping.abort());
    const stop = vi.fn(() => Promise.resolve());
    const isOwned = vi.fn(async () => (await readFile(file, "utf8")) === "own");
    await watchSocket({ file, isOwned }, { stop, stopping: stopping.signal });
    expect(stop).not.toHaveBeenCalled();
    isOwned.mockImplementationOnce(async () => {
      onCheck(stopping);
      return false;
    });
    await writeFile(join(folder, "other"), "other");
    await rename(join(folder, "other"), file);
    await vi.waitFor(() => expect(isOwned.mock.settledResults[1]?.type).toBe("fulfilled"));
    await nextTurn();
    return stop;
  }

  it("stops the host when another file replaces its socket", async () => {
    expect(await watchReplacedSocket(() => {})).toHaveBeenCalledOnce();
  });

  it("does not stop a host that begins to stop during the check", async () => {
    expect(await watchReplacedSocket((stopping) => stopping.abort())).not.toHaveBeenCalled();
  });

  it("stops a host whose socket was replaced before the watch began", async () => {
    const stop = vi.fn(() => Promise.resolve());
    const stopping = new AbortController();
    onTestFinished(() => stopping.abort());
    await watchSocket({ file: "/missing/host.sock", isOwned: async () => false }, { stop, stopping: stopping.signal });
    expect(stop).toHaveBeenCalledOnce();
  });
});

describe("Channels", () => {
  it("count as used while a channel is open, and at one more check after a channel was opened", async () => {
    const host = { as: () => ({ close: async () => {} }), events: { seq: 0 } } as unknown as Host;
    const channels = new Channels(host);
    expect(channels.takeUsed()).toBe(false);
    const channel = channels.open({ kind: "cli", door: SOCKET_DOOR });
    expect([channels.takeUsed(), channels.takeUsed()]).toEqual([true, true]);
    await channels.close(channel);
    expect(channels.takeUsed()).toBe(false);
  });

  it("release a workspace whose client disconnects while it is opened", async () => {
    const workspace = {};
    let opened = (_workspace: object) => {};
    const release = vi.fn(() => Promise.resolve());
    const caller = { kind: "cli", id: "1" };
    const host = {
      as: () => ({ caller, close: async () => {} }),
      events: { seq: 0 },
      open: () => new Promise((resolve) => (opened = resolve)),
      bind: () => ({}),
      release,
    };
    const channels = new Channels(host as unknown as Host);
    const channel = channels.open({ kind: "cli", door: SOCKET_DOOR });
    const opening = channels.openWorkspace(channel, { cwd: "/" });
    await channels.close(channel);
    expect(release).not.toHaveBeenCalled();
    opened(workspace);
    await opening;
    expect(release).toHaveBeenCalledExactlyOnceWith(workspace);
    expect(channel.workspaces.size).toBe(0);
  });
});

describe("watchIdle", () => {
  it("stops the host when the idle time has passed since its last use, even if the use was short", () => {
    const clock = new ManualClock();
    const host = { as: () => ({ close: async () => {} }), events: { seq: 0 } } as unknown as Host;
    const channels = new Channels(host);
    const stop = vi.fn(() => Promise.resolve());
    watchIdle(20_000, () => channels.takeUsed(), { clock, stop, stopping: new AbortController().signal });
    clock.advance(16_000);
    void channels.close(channels.open({ kind: "cli", door: SOCKET_DOOR }));
    // The check at 20 seconds notices that the host was used.
    clock.advance(23_999);
    expect(stop).not.toHaveBeenCalled();
    clock.advance(1);
    expect(stop).toHaveBeenCalledOnce();
  });

  it("keeps no process alive, and ends when the host begins to stop", () => {
    const clock = new ManualClock();
    const stopping = new AbortController();
    watchIdle(20_000, () => true, { clock, stop: () => Promise.resolve(), stopping: stopping.signal });
    clock.advance(20_000);
    expect([clock.pendingTimers, clock.foregroundTimers]).toEqual([1, 0]);
    stopping.abort();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("a host that is stopped under load", { meta: { covers: ["F46"] } }, () => {
  const tool = "s__hold";

  async function open() {
    const clock = new ManualClock();
    const { command, args } = scriptedLegacy();
    const stderrToFile = ["-c", `exec "$@" 2>"$HOME/stderr"`, "sh", command, ...args];
    const host = await startRunningHost(
      { s: { command: "sh", args: stderrToFile, env: { HOME: "${HOME}" } } },
      { clock },
    );
    onTestFinished(() => advanceUntilSettled(clock, host.close()));
    const path = socketPath(host.env);
    const remote = await connectRemote({ fetch: nodeHttpFetch({ socketPath: path }), version: VERSION, kind: "cli" });
    const workspace = (await remote.workspace({ cwd: host.env["HOME"]!, env: host.env })) as RemoteWorkspace;
    await workspace.start();
    return { clock, host, path, remote, workspace };
  }

  /** Starts one call over each interface. The tool returns when it is released. Returns the results as text. */
  async function callOverEveryInterface({ host, path, remote, workspace }: Awaited<ReturnType<typeof open>>) {
    const legacy = await openClient("legacy over HTTP", host, () => ({ action: "cancel" }));
    const stream = await openUpgradedStream(path, controlPaths.invoke(remote.channel, workspace.id, "stdio"), {});
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: {} } };
    stream.write(`${JSON.stringify(call)}\n`);
    const calls = [
      sendToolCall(host, tool).then((answer) => JSON.stringify(answer)),
      legacy.call(tool).catch((error: unknown) => JSON.stringify(error) + String(error)),
      workspace.tools.call({ server: "s", tool: "hold" }, {}).then(JSON.stringify, (error: HostError) => error.code),
      text(stream),
    ];
    const stderr = () => readFile(join(host.env["HOME"]!, "stderr"), "utf8");
    await vi.waitFor(async () => expect((await stderr()).split("holding")).toHaveLength(calls.length + 1), 10_000);
    return calls;
  }

  /** Advances the clock in small steps until the work is done. */
  async function advanceUntilSettled<T>(clock: ManualClock, awaited: Promise<T>): Promise<T> {
    const settled = new AbortController();
    void awaited.catch(() => {}).finally(() => settled.abort());
    while (!settled.signal.aborted) {
      clock.advance(20);
      await nextTurn();
    }
    return awaited;
  }

  it("delivers the results of pending calls and rejects new ones", async () => {
    const opened = await open();
    const { clock, host } = opened;
    const calls = await callOverEveryInterface(opened);
    const { port } = new URL(host.url);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const requestHealth = () =>
      new Promise<string>((resolve, reject) => {
        const sent = request({ port, host: "127.0.0.1", path: "/healthz", agent }, (response) => {
          void text(response).then((body) => resolve(`${response.statusCode} ${body}`), reject);
        });
        sent.on("error", ({ message }) => resolve(message)).end();
      });
    // This connection has a request in flight when the host stops.
    const late = connect(Number(port), "127.0.0.1");
    late.write("GET /healthz HTTP/1.1\r\n");
    expect(await requestHealth()).toMatch(/^200/);
    const stopped = host.daemon.stop();
    await vi.waitFor(async () => expect(await requestHealth()).toContain("ECONNREFUSED"), 10_000);
    late.write(`Host: 127.0.0.1:${port}\r\n\r\n`);
    expect(await text(late)).toMatch(/^HTTP\/1.1 503 .*connection: close.*HOST_CLOSED/is);
    clock.advance(1900);
    await host.daemon.workspace.tools.call({ server: "s", tool: "release" }, {});
    for (const ended of await advanceUntilSettled(clock, Promise.all(calls))) expect(ended).toContain("let go");
    await advanceUntilSettled(clock, stopped);
  });

  it("answers unfinished calls with an error after two seconds and ends every stream cleanly", async () => {
    const opened = await open();
    const { clock, host, remote } = opened;
    const calls = await callOverEveryInterface(opened);
    const { port } = new URL(host.url);
    const uploading = connect(Number(port), "127.0.0.1");
    uploading.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${host.token}\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n{`,
    );
    // The host has received the headers of the request.
    expect(String((await once(uploading, "data"))[0])).toContain("100 Continue");
    const uploaded = text(uploading);
    const events = remote.events(0)[Symbol.asyncIterator]();
    await events.next();
    const listening = await listen(host);
    const stopped = host.daemon.stop();
    let isStopped = false;
    void stopped.then(() => (isStopped = true));
    await vi.waitFor(() => expect(stat(opened.path)).rejects.toThrow("ENOENT"), 10_000);
    for (let passed = 0; passed < 1900; passed += 20) {
      clock.advance(20);
      await nextTurn();
    }
    expect(isStopped).toBe(false);
    for (const ended of await advanceUntilSettled(clock, Promise.all(calls))) expect(ended).toContain("HOST_CLOSED");
    await advanceUntilSettled(clock, stopped);
    expect(await uploaded).toMatch(/^HTTP\/1.1 503 .*HOST_CLOSED/s);
    while (!(await events.next()).done);
    expect(await listening.text()).toContain("notifications/subscriptions/acknowledged");
  });

  it("answers unfinished calls with an error and does not wait after a second request to stop", async () => {
    const opened = await open();
    const { host } = opened;
    const calls = await callOverEveryInterface(opened);
    const stopped = host.daemon.stop();
    await vi.waitFor(() => expect(stat(opened.path)).rejects.toThrow("ENOENT"), 10_000);
    void host.daemon.stop();
    await stopped;
    for (const ended of await Promise.all(calls)) expect(ended).toContain("HOST_CLOSED");
  });

  /** Opens a subscription of the modern era. */
  function listen({ url, token }: RunningHost): Promise<Response> {
    const key = "io.modelcontextprotocol/";
    const _meta = { [`${key}protocolVersion`]: "2026-07-28", [`${key}clientCapabilities`]: {} };
    const params = { notifications: { toolsListChanged: true }, _meta };
    return fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "subscriptions/listen",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 9, method: "subscriptions/listen", params }),
    });
  }
});
