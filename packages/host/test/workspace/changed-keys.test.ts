/** Changes each key of a running server's entry once. The process id shows whether the server was restarted. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBareHost } from "@plugboard/host/core";
import { entryRows } from "@plugboard/contracts";
import type { EntryKey, Workspace } from "@plugboard/contracts";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makeTestHome } from "../helpers/embedded-host.ts";

const server = scriptedLegacy();

/** A changed value for each key that a stdio server can have. */
const OTHER_VALUES: { readonly [Key in EntryKey]?: unknown } = {
  args: [...server.args, "--pages=2"],
  cwd: "/",
  env: { NEW: "1" },
  // Other systems have no sandbox.
  sandbox: process.platform === "linux" ? "offline" : false,
  startup_timeout_ms: 20_000,
  request_timeout_ms: 50_000,
  max_timeout_ms: 500_000,
  health_interval_ms: 1000,
  start: "lazy",
  idle_stop_ms: 60_000,
  share: "caller",
  tools: { exclude: ["echo"] },
  retry: "never",
  protocol: "legacy",
  trust_annotations: true,
  sampling: true,
  strict_results: true,
  roots: true,
  max_message_bytes: 100_000,
  result_limit_bytes: 5000,
};

/** Keys that are not tested here, because they have their own tests or a stdio server can't change them. */
const OTHER_KEYS: readonly EntryKey[] = ["transport", "enabled", "command"];

/** Opens two workspaces that share the connection, as a page and the gateway do. */
async function openTwice(entry: object) {
  const home = await makeTestHome();
  const write = (changed: object) => home.writeConfig({ servers: { s: changed }, permissions: { allow: ["*"] } });
  await write(entry);
  const host = await createBareHost({ env: home.env });
  onTestFinished(() => host.close());
  const first = await host.as("cli").workspace({ cwd: home.cwd });
  const second = await host.as("page").workspace({ cwd: home.cwd });
  await first.start();
  await second.start();
  const change = async (changed: object) => {
    await write(changed);
    await Promise.all([first.config.reload(), second.config.reload()]);
  };
  return { home, first, second, change };
}

function pidOf(workspace: Workspace): Promise<number> {
  return vi.waitFor(
    async () => {
      const [status] = await workspace.status();
      expect(status).toMatchObject({ state: "ready", pid: expect.any(Number) as number });
      return status!.pid!;
    },
    { timeout: 15_000 },
  );
}

describe("a changed key of a server that two workspaces use", { meta: { covers: ["F58"] } }, () => {
  const rows = entryRows().filter(([key, row]) => (row.for ?? "stdio") === "stdio" && !OTHER_KEYS.includes(key));

  it.each(rows.filter(([, { change }]) => change === "live"))(
    "%s applies without a restart, and a running call goes on",
    async (key) => {
      expect(OTHER_VALUES).toHaveProperty(key);
      const { home, first, second, change } = await openTwice(server);
      const [pid, letGo] = [await pidOf(first), join(home.root, "let-go")];
      const held = first.tools.call("s:hold", { when_exists: letGo });
      await first.tools.call("s:env", {});
      await change({ ...server, [key]: OTHER_VALUES[key] });
      await writeFile(letGo, "");
      expect(await held).toMatchObject({ content: [{ text: "let go" }] });
      expect([await pidOf(first), await pidOf(second)]).toEqual([pid, pid]);
    },
  );

  it.each(rows.filter(([, { change }]) => change === "restart"))("%s restarts the server", async (key) => {
    expect(OTHER_VALUES).toHaveProperty(key);
    const { first, second, change } = await openTwice(server);
    const pid = await pidOf(first);
    expect(await pidOf(second)).toBe(pid);
    await change({ ...server, [key]: OTHER_VALUES[key] });
    await waitUntilDead(pid, 15_000);
    const restarted = await pidOf(first);
    expect(restarted).not.toBe(pid);
    expect(await pidOf(second)).toBe(restarted);
  });
});

describe("a live key that changes", { meta: { covers: ["F58"] } }, () => {
  it("idle_stop_ms stops a server that is running and not used", async () => {
    const { first, change } = await openTwice(server);
    const pid = await pidOf(first);
    await change({ ...server, idle_stop_ms: 300 });
    await waitUntilDead(pid, 10_000);
    expect(await first.tools.call("s:echo", { text: "again" })).toMatchObject({ content: [{ text: "again" }] });
  });

  it("health_interval_ms changes the checks of a connection that is open", async () => {
    const folder = await mkdtemp(join(tmpdir(), "plugboard-frames-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const frames = join(folder, "requests.jsonl");
    const command = [server.command, ...server.args].map((word) => `'${word}'`).join(" ");
    const recorded = { command: "/bin/sh", args: ["-c", `tee ${frames} | ${command}`] };
    const { first, change } = await openTwice(recorded);
    await pidOf(first);
    expect(await readFile(frames, "utf8")).not.toContain('"ping"');
    await change({ ...recorded, health_interval_ms: 100 });
    await vi.waitFor(async () => expect(await readFile(frames, "utf8")).toContain('"ping"'), {
      timeout: 10_000,
    });
  });

  it.each(["request_timeout_ms", "max_timeout_ms"])("%s limits the next call", async (key) => {
    const { first, change } = await openTwice(server);
    const pid = await pidOf(first);
    await change({ ...server, [key]: 300 });
    await expect(first.tools.call("s:hold", {})).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
    expect(isAlive(pid)).toBe(true);
  });

  it("startup_timeout_ms limits the next start", async () => {
    const slow = scriptedLegacy("--slow-start=2000");
    const { first, change } = await openTwice(slow);
    await pidOf(first);
    await change({ ...slow, startup_timeout_ms: 200 });
    await expect(first.servers.reconnect("s")).rejects.toMatchObject({ code: "SERVER_NOT_RESPONDING" });
  });

  it("start: a lazy server is started when it becomes eager", async () => {
    const home = await makeTestHome();
    await home.writeConfig({ servers: { s: server } });
    const earlier = await home.host();
    await earlier.ready();
    await earlier.close();
    await home.writeConfig({ servers: { s: { ...server, start: "lazy" } } });
    const host = await home.host();
    await host.ready();
    expect(host.status()).toMatchObject([{ state: "idle" }]);
    await home.writeConfig({ servers: { s: server } });
    await host.config.reload();
    await vi.waitFor(() => expect(host.status()).toMatchObject([{ state: "ready" }]), { timeout: 10_000 });
  });
});

it.runIf(process.platform === "linux")("a changed `sandbox_default` restarts the servers of projects", async () => {
  const home = await makeTestHome();
  await writeFile(join(home.cwd, ".mcp.json"), JSON.stringify({ mcpServers: { s: server } }));
  await home.writeConfig({});
  const host = await createBareHost({ env: home.env });
  onTestFinished(() => host.close());
  const workspace = await host.as("cli").workspace({ cwd: home.cwd });
  const [pending] = await workspace.config.pending();
  await workspace.config.trust("s", pending!.hash);
  await workspace.start();
  const pid = await pidOf(workspace);
  await home.writeConfig({ sandbox_default: "offline" });
  await workspace.config.reload();
  await waitUntilDead(pid, 10_000);
  await workspace.start();
  expect(await workspace.status()).toMatchObject([{ sandbox: { read: [], write: [], network: false } }]);
  expect(await pidOf(workspace)).not.toBe(pid);
});
