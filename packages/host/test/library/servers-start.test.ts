/** Tests how the servers of an embedded host start: in parallel and in the background. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { filesystemStdio, memoryStdio } from "@plugboard/testkit/third-party-servers";
import { childrenOf, isAlive } from "@plugboard/testkit/process-alive";
import { everythingStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { embeddedHost, waitForEvent, makeTestHome, toolNamesOf } from "../helpers/embedded-host.ts";

const [legacyScript = "", ...legacyArguments] = scriptedLegacy().args;

/** Creates an in-process server with one tool and one resource. */
function noteServer() {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.registerTool("echo", {}, () => ({ content: [{ type: "text", text: "hi" }] }));
  server.registerResource("note", "note://one", {}, () => ({ contents: [{ uri: "note://one", text: "milk" }] }));
  return server;
}

/** Defines two servers. Each serves only after the process of the other has started. */
async function serversThatWaitForEachOther() {
  const folder = await mkdtemp(join(tmpdir(), "plugboard-markers-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const script = `const fs = require("node:fs");
    fs.writeFileSync(process.env.OWN_MARKER, "");
    const timer = setInterval(() => {
      if (!fs.existsSync(process.env.OTHER_MARKER)) return;
      clearInterval(timer);
      import(process.argv[1]);
    }, 5);`;
  const server = (ownMarker: string, otherMarker: string) => ({
    command: process.execPath,
    args: ["-e", script, legacyScript, ...legacyArguments],
    env: { OWN_MARKER: join(folder, ownMarker), OTHER_MARKER: join(folder, otherMarker) },
  });
  return { a: server("a", "b"), b: server("b", "a") };
}

it(
  "a host starts its servers in parallel: two servers that wait for each other both become ready",
  { meta: { covers: ["R0.32", "R3.53", "R3.70"] } },
  async () => {
    const host = await embeddedHost({ servers: await serversThatWaitForEachOther() });
    expect(await host.ready()).toMatchObject({ errors: {} });
    expect(host.status()).toMatchObject([{ state: "ready" }, { state: "ready" }]);
  },
);

it("createHost returns before the servers are ready", { meta: { covers: ["R0.47"] } }, async () => {
  const host = await embeddedHost({ servers: { never: scriptedLegacy("--never-start"), s: scriptedLegacy() } });
  expect(host.status()).toMatchObject([
    { id: "never", state: "connecting" },
    { id: "s", state: "connecting" },
  ]);
  expect(host.tools.list()).toEqual([]);
  await host.servers.connect("s");
  expect(toolNamesOf(host, "s")).toContain("echo");
  expect(host.status()[0]).toMatchObject({ id: "never", state: "connecting" });
});

describe("host.ready", () => {
  it("reports the error of each server that failed", { meta: { covers: ["R1.40"] } }, async () => {
    const host = await embeddedHost({
      servers: {
        good: scriptedLegacy(),
        gone: { command: "no-such-command" },
        dies: { command: process.execPath, args: ["-e", "console.error('no licence'); process.exit(4)"] },
        unset: { ...scriptedLegacy(), env: { KEY: "${NOT_SET_ANYWHERE}" } },
        wrong: { command: 7 } as never,
        "not an id": scriptedLegacy(),
        off: { ...scriptedLegacy(), enabled: false },
      },
    });
    const { ready, errors } = await host.ready();
    expect(ready).toEqual(["good"]);
    expect(errors).toMatchObject({
      gone: { code: "SERVER_SPAWN_FAILED", details: { server: "gone" } },
      dies: { code: "SERVER_CRASHED", details: { exit: "exit code 4", starting: true, stderr: "no licence" } },
      unset: { code: "SERVER_INVALID", message: expect.stringContaining("NOT_SET_ANYWHERE") as string },
      wrong: { code: "SERVER_INVALID" },
      "not an id": { code: "SERVER_INVALID" },
    });
    expect(Object.keys(errors).toSorted()).toEqual(["dies", "gone", "not an id", "unset", "wrong"]);
  });

  it("resolves after its timeout with a partial report, while the servers continue to start", async () => {
    const host = await embeddedHost({
      servers: { slow: scriptedLegacy("--never-start"), gone: { command: "no-such-command" }, s: scriptedLegacy() },
    });
    await host.servers.connect("s");
    await host.servers.connect("gone").catch(() => {});
    expect(await host.ready({ timeoutMs: 1 })).toMatchObject({
      ready: ["s"],
      errors: {
        gone: { code: "SERVER_SPAWN_FAILED" },
        slow: { code: "SERVER_NOT_RESPONDING", details: { server: "slow", afterMs: 1 } },
      },
    });
    expect(host.status()[0]).toMatchObject({ id: "slow", state: "connecting" });
  });

  it("reports the last error of a server that is being retried", async () => {
    const dies = { command: process.execPath, args: ["-e", "process.exit(4)"] };
    const host = await embeddedHost({ servers: { dies, never: scriptedLegacy("--never-start") } });
    await waitForEvent(host, "server.changed", ({ server, error }) => server === "dies" && error !== undefined);
    expect((await host.ready({ timeoutMs: 1 })).errors["dies"]).toMatchObject({ code: "SERVER_CRASHED" });
  });

  it("reports a server that waits for a secret as not responding, and resolves when the host closes", async () => {
    const secret = { command: process.execPath, args: [], env: { KEY: { $secret: "key" } } };
    const host = await embeddedHost({ servers: { secret }, secrets: () => new Promise<never>(() => {}) });
    expect((await host.ready({ timeoutMs: 1 })).errors).toMatchObject({ secret: { code: "SERVER_NOT_RESPONDING" } });
    await host.close();
    expect((await host.ready()).errors).toMatchObject({ secret: { code: "CONNECTION_CLOSED" } });
  });
});

it(
  "a host lists and calls the tools of its other servers while one of twenty servers never answers",
  { meta: { covers: ["F32"] }, timeout: 60_000 },
  async () => {
    const ids = Array.from({ length: 19 }, (_, index) => `s${index}`);
    const others = Object.fromEntries(
      ids.map((id) => [id, { type: "sdk", name: id, instance: noteServer() } as const]),
    );
    const host = await embeddedHost({ servers: { slow: scriptedLegacy("--never-start"), ...others } });
    await Promise.all(ids.map((id) => host.servers.connect(id)));
    expect(new Set(host.tools.list().map(({ server }) => server)).size).toBe(19);
    expect(host.status().filter(({ state }) => state === "ready")).toHaveLength(19);
    await host.tools.call("s3:echo", {});
    const { resources, errors } = await host.resources.list();
    expect(new Set(resources.map(({ server }) => server)).size).toBe(19);
    expect(errors).toMatchObject({ slow: { code: "REQUEST_TIMEOUT" } });
  },
);

it("a host runs published servers in parallel, and leaves no process when it closes", async () => {
  const { host: open, cwd } = await makeTestHome();
  const host = await open({
    servers: {
      files: filesystemStdio(cwd),
      memory: { ...memoryStdio(), env: { MEMORY_FILE_PATH: join(cwd, "memory.json") } },
      everything: everythingStdio(),
      // `npx` starts the server as another process, as in most definitions.
      npx: { command: "npx", args: ["--offline", "mcp-server-sequential-thinking"], cwd: process.cwd() },
    },
  });
  expect(await host.ready()).toMatchObject({ errors: {} });
  const pids = host.status().map(({ pid }) => pid!);
  const all = [...pids, ...pids.flatMap(childrenOf), ...pids.flatMap(childrenOf).flatMap(childrenOf)];
  expect(all.length).toBeGreaterThan(4);
  await host.close();
  expect(all.filter(isAlive)).toEqual([]);
}, 60_000);
