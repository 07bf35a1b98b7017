/** Tests which servers start before the host has loaded. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerEntry, WorkspaceSpec } from "@plugboard/contracts";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { HostBase } from "#core/host-base.js";
import { startEagerServersAhead, startServerAhead } from "#core/start-ahead.js";

const CALL = { server: "a", tool: "t" };

/** Makes a host base that only records which processes it would start. The project's file is not trusted. */
async function makeBase(project: object = {}) {
  const cwd = await mkdtemp(join(tmpdir(), "plugboard-ahead-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  await writeFile(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: project }));
  const env = { XDG_CONFIG_HOME: cwd, XDG_STATE_HOME: cwd };
  const base = new HostBase({ env, persist: false, managedConfigPath: join(cwd, "managed.json") });
  const start = vi.spyOn(base.processes, "startAhead").mockImplementation(() => {});
  return { base, cwd, started: () => start.mock.calls.map(([{ server }]) => server) };
}

const spec = (cwd: string, a: ServerEntry, rest: Partial<WorkspaceSpec> = {}): WorkspaceSpec => ({
  cwd,
  servers: { a, other: { command: "other" } },
  ...rest,
});

describe("startServerAhead", () => {
  it("starts only the server of the call", async () => {
    const { base, cwd, started } = await makeBase();
    await startServerAhead(base, spec(cwd, { command: "x" }), CALL);
    expect(started()).toEqual(["a"]);
  });

  it.each<[string, ServerEntry, Partial<WorkspaceSpec>]>([
    ["that a rule denies", { command: "x" }, { permissions: { deny: ["a:t"] } }],
    ["that is disabled", { command: "x", enabled: false }, {}],
    ["that is invalid", { command: "" }, {}],
    ["that needs a secret", { command: "x", env: { KEY: { $secret: "key" } } }, {}],
    ["that needs a variable that is not set", { command: "x", args: ["${MISSING}"] }, {}],
    ["that is not a process", { url: "https://example.com/mcp" }, {}],
  ])("does not start a server %s", async (_, entry, rest) => {
    const { base, cwd, started } = await makeBase();
    await startServerAhead(base, spec(cwd, entry, rest), CALL);
    expect(started()).toEqual([]);
  });

  it("does not start a server of a project that the user does not trust", async () => {
    const { base, cwd, started } = await makeBase({ a: { command: "x" } });
    await startServerAhead(base, { cwd }, CALL);
    expect(started()).toEqual([]);
  });
});

describe("startEagerServersAhead", () => {
  it("starts the servers that start with their host", async () => {
    const { base, cwd, started } = await makeBase();
    await startEagerServersAhead(base, spec(cwd, { command: "x", start: "lazy" }));
    expect(started()).toEqual(["other"]);
  });
});
