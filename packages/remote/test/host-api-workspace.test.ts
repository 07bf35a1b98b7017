/** Contract tests of `Workspace`, in process and over the socket: servers, tools, resources, prompts, config, permissions and activity. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workspace, WorkspaceSpec } from "@plugboard/contracts";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { modernStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { firstEventOf, makeWorkFolder, HOSTS, openWorkspace, startForProgram } from "./helpers/contract-hosts.ts";
import type { StartHost } from "./helpers/contract-hosts.ts";

const hi = { content: [{ type: "text", text: "hi" }] };

async function startWorkspace(start: StartHost, spec: Partial<WorkspaceSpec> = {}): Promise<Workspace> {
  const workspace = await openWorkspace(await startForProgram(start), spec);
  expect(await workspace.start()).toMatchObject({ errors: {} });
  return workspace;
}

const offeredTools = async ({ tools }: Workspace) =>
  (await tools.list()).map(({ server, tool }) => `${server}:${tool}`);

describe.each(HOSTS)("Workspace %s", (_, start) => {
  describe("servers", () => {
    it("returns the detail of a server without its secrets", { meta: { covers: ["R2.112"] } }, async () => {
      const workspace = await startWorkspace(start, {
        servers: { m: { ...modernStdio(), env: { KEY: "the-secret" } } },
      });
      const detail = await workspace.servers.detail("m");
      expect(detail).toMatchObject({
        id: "m",
        state: "ready",
        serverInfo: { name: "modern-fixture" },
        instructions: "Good for trying out",
        config: { command: process.execPath },
      });
      expect(detail.offered).toHaveLength(detail.tools);
      expect(JSON.stringify(detail)).not.toContain("the-secret");
      await expect(workspace.servers.detail("x")).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
    });

    it("connects a new server whose definition the caller passes", { meta: { covers: ["R1.27"] } }, async () => {
      const workspace = await startWorkspace(start, { servers: {} });
      expect(await workspace.servers.connect("new", { definition: scriptedLegacy() })).toMatchObject({
        state: "ready",
      });
      expect(await workspace.tools.call("new:echo", { text: "hi" })).toEqual(hi);
      const definition = { command: 7 } as never;
      await expect(workspace.servers.connect("bad", { definition })).rejects.toMatchObject({ code: "SERVER_INVALID" });
    });

    it("disconnects and reconnects a server", async () => {
      const workspace = await startWorkspace(start);
      const [{ pid } = { pid: 0 }] = await workspace.status();
      const again = await workspace.servers.reconnect("s");
      expect(again.pid).not.toBe(pid);
      await workspace.servers.disconnect("s");
      expect(await offeredTools(workspace)).toEqual([]);
      await waitUntilDead(again.pid!, 10_000);
      await expect(workspace.servers.reconnect("x")).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
      await expect(workspace.servers.disconnect("x")).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
    });

    it("lists the tools of a server again without a new process", async () => {
      const workspace = await startWorkspace(start);
      const [{ pid, tools } = { pid: 0, tools: 0 }] = await workspace.status();
      expect(await workspace.servers.refresh("s")).toMatchObject({ pid, tools });
    });

    it("hides and shows the tools of a server", async () => {
      const workspace = await startWorkspace(start);
      expect(await workspace.servers.toggle("s", false)).toMatchObject({ hidden: true, state: "ready" });
      expect(await offeredTools(workspace)).toEqual([]);
      expect((await workspace.servers.toggle("s", true)).hidden).toBeUndefined();
      expect(await offeredTools(workspace)).toContain("s:echo");
    });

    it(
      "replaces the servers of the invocation and keeps unchanged servers running",
      { meta: { covers: ["R1.31"] } },
      async () => {
        const workspace = await startWorkspace(start, {
          servers: { stays: scriptedLegacy(), goes: scriptedLegacy("--pages=2") },
        });
        const [stays, goes] = await workspace.status();
        const set = {
          stays: scriptedLegacy(),
          comes: scriptedLegacy("--pages=3"),
          bad: { command: "no-such-command" },
        };
        expect(await workspace.servers.set(set)).toMatchObject({
          added: ["comes", "bad"],
          removed: ["goes"],
          changed: [],
          errors: { bad: { code: "SERVER_SPAWN_FAILED" } },
        });
        expect((await workspace.status())[0]).toMatchObject({ id: "stays", pid: stays!.pid });
        expect(isAlive(goes!.pid!)).toBe(false);
      },
    );
  });

  describe("tools", () => {
    it("finds tools by a query", async () => {
      const workspace = await startWorkspace(start);
      const hits = await workspace.tools.search("sampling", { limit: 1 });
      expect(hits).toMatchObject([
        { tool: { server: "s", tool: "ask_sampling" }, score: expect.any(Number) as number },
      ]);
    });

    it("returns the tools in the format of a model provider", { meta: { covers: ["R4.4"] } }, async () => {
      const workspace = await startWorkspace(start);
      const definitions = (await workspace.tools.definitions("anthropic")) as { name: string }[];
      expect(definitions.map(({ name }) => name)).toContain("mcp__s__echo");
      for (const provider of ["nobody", "constructor"]) {
        await expect(workspace.tools.definitions(provider as never)).rejects.toMatchObject({ code: "USAGE" });
      }
    });

    it("applies the exclude patterns and the naming template of the workspace", async () => {
      const workspace = await startWorkspace(start, { exclude: ["s:cr*"], naming: "{server}__{tool}" });
      const names = (await workspace.tools.list()).map(({ name }) => name);
      expect(names).toContain("s__echo");
      expect(names).not.toContain("s__crash");
      const invalidExclude = startForProgram(start).then((api) => openWorkspace(api, { exclude: "s" as never }));
      await expect(invalidExclude).rejects.toMatchObject({ code: "USAGE" });
    });

    it("describes tools even if they are excluded, switched off or denied", async () => {
      const permissions = { deny: ["s:ask_sampling"] };
      const workspace = await startWorkspace(start, { exclude: ["s:crash"], permissions });
      await workspace.tools.toggle("s:echo", false);
      const { tools } = workspace;
      expect(await offeredTools(workspace)).not.toEqual(
        expect.arrayContaining(["s:crash", "s:echo", "s:ask_sampling"]),
      );
      const inputSchema = { type: "object", required: ["text"] };
      expect(await tools.describe("s:echo")).toMatchObject({ server: "s", inputSchema, off: "tool_disabled" });
      expect(await tools.describe("s:crash")).toMatchObject({ name: "mcp__s__crash", off: "program" });
      const denied = await tools.describe({ server: "s", tool: "ask_sampling" });
      expect(denied).toMatchObject({ name: "mcp__s__ask_sampling", origin: "mcp", pin: expect.any(String) as string });
      expect(denied).not.toHaveProperty("off");
      await expect(tools.describe("s:nope")).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
    });

    it("disables and enables one tool", async () => {
      const workspace = await startWorkspace(start);
      await workspace.tools.toggle("s:echo", false);
      expect(await offeredTools(workspace)).not.toContain("s:echo");
      await expect(workspace.tools.call("s:echo", { text: "hi" })).rejects.toMatchObject({ code: "TOOL_OFF" });
      await workspace.tools.toggle({ server: "s", tool: "echo" }, true);
      expect(await workspace.tools.call("s:echo", { text: "hi" })).toEqual(hi);
      await expect(workspace.tools.toggle("s:nope", true)).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
    });
  });

  it("lists and reads resources", async () => {
    const workspace = await startWorkspace(start, { servers: { m: modernStdio(), s: scriptedLegacy() } });
    const { resources, errors } = await workspace.resources.list();
    expect(errors).toEqual({});
    const [first] = resources;
    expect(first).toMatchObject({ server: "m", uri: expect.any(String) as string });
    expect(await workspace.resources.list({ server: "s" })).toEqual({ resources: [], errors: {} });
    expect(await workspace.resources.read("m", first!.uri)).toMatchObject([{ uri: first!.uri }]);
    expect((await workspace.resources.templates()).errors).toEqual({});
    await expect(workspace.resources.list({ server: "x" })).rejects.toMatchObject({ code: "SERVER_UNKNOWN" });
    await expect(workspace.resources.read("m", "x://none")).rejects.toMatchObject({ code: "REQUEST_FAILED" });
  });

  it("lists, gets and completes prompts", async () => {
    const workspace = await startWorkspace(start, { servers: { m: modernStdio() } });
    const { prompts, errors } = await workspace.prompts.list();
    expect(errors).toEqual({});
    const prompt = prompts.find(({ arguments: args = [] }) => args.length > 0)!;
    const argument = prompt.arguments![0]!.name;
    const args = Object.fromEntries(prompt.arguments!.map(({ name }) => [name, "a"]));
    expect((await workspace.prompts.get("m", prompt.name, args)).messages.length).toBeGreaterThan(0);
    const ref = { type: "ref/prompt", name: prompt.name } as const;
    const completion = await workspace.prompts.complete("m", ref, { name: argument, value: "" });
    expect(Array.isArray(completion.values)).toBe(true);
    await expect(workspace.prompts.get("m", "none")).rejects.toMatchObject({ code: "REQUEST_FAILED" });
  });

  it("reloads the config, and trusts and distrusts a project's server", { meta: { covers: ["R2.11"] } }, async () => {
    const cwd = await makeWorkFolder();
    const file = join(cwd, ".plugboard", "config.json");
    await mkdir(join(cwd, ".plugboard"));
    const workspace = await openWorkspace(await startForProgram(start), { cwd, servers: {} });
    expect(await workspace.config.pending()).toEqual([]);
    await writeFile(file, JSON.stringify({ mcp: { servers: { p: scriptedLegacy() } } }));
    await workspace.config.reload();
    const [pending] = await workspace.config.pending();
    expect(pending).toMatchObject({ id: "p", source: "project", transport: "stdio", variables: [] });
    expect(await workspace.servers.detail("p")).toMatchObject({
      lastError: { code: "SERVER_UNTRUSTED" },
      offered: [],
    });
    await expect(workspace.config.trust("p", "another hash")).rejects.toMatchObject({ code: "DEFINITION_CHANGED" });
    await workspace.config.trust("p", pending!.hash);
    expect(await workspace.config.pending()).toEqual([]);
    const { pid } = await workspace.servers.connect("p");
    expect(await workspace.config.distrust("p")).toBe(true);
    await waitUntilDead(pid!, 10_000);
    expect(await workspace.config.pending()).toMatchObject([{ id: "p" }]);
    expect(await workspace.config.distrust("p")).toBe(false);
    await writeFile(file, "{");
    await workspace.config.reload();
    expect(await workspace.config.problems()).toMatchObject([{ severity: "error", file, line: 1 }]);
  });

  it("lists and revokes permission decisions", async () => {
    const api = await startForProgram(start, { attended: true });
    const workspace = await openWorkspace(api, { permissions: { ask: ["*"] } });
    await workspace.servers.connect("s");
    const call = workspace.tools.call("s:echo", { text: "hi" });
    const { question } = await firstEventOf(api, "question.asked");
    await workspace.inbox.answer(question.id, { type: "permission", decision: "session" });
    await call;
    const [decision] = await workspace.permissions.decisions();
    expect(decision).toMatchObject({ scope: "session", server: "s", tool: "echo" });
    await workspace.permissions.revoke(decision!.id);
    expect(await workspace.permissions.decisions()).toEqual([]);
  });

  it("records calls in the journal and counts them in the metrics", async () => {
    const workspace = await startWorkspace(start);
    await workspace.tools.call("s:echo", { text: "hi" });
    const recent = await workspace.activity.recent({ limit: 100 });
    expect(recent.some((entry) => JSON.stringify(entry).includes('"echo"'))).toBe(true);
    expect(JSON.stringify(await workspace.activity.metrics())).toContain("echo");
    expect(await workspace.activity.stats({ spanMs: 60_000, by: "tool", text: ":echo" })).toMatchObject({
      bucketMs: 10_000,
      groups: [{ tool: "echo", phases: { server: { p50: expect.any(Number) as number } } }],
    });
  });

  it("rejects every change after it is released", async () => {
    const workspace = await startWorkspace(start);
    await workspace.release();
    for (const rejected of [
      () => workspace.servers.set({}),
      () => workspace.servers.connect("s"),
      () => workspace.servers.reconnect("s"),
      () => workspace.servers.toggle("s", false),
      () => workspace.tools.call("s:echo", { text: "hi" }),
    ]) {
      await expect(rejected()).rejects.toMatchObject({
        code: expect.stringMatching(/^(HOST_CLOSED|NOT_FOUND)$/) as string,
      });
    }
  });
});
