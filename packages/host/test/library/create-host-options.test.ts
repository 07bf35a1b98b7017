/** Tests which config layers `createHost` reads and which options it rejects. */
import { join } from "node:path";
import { createHost } from "@plugboard/host";
import type { CreateHostOptions } from "@plugboard/host";
import { isAlive } from "@plugboard/testkit/process-alive";
import type { HostError } from "@plugboard/contracts";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeTestProject } from "../helpers/test-project.ts";

const server = (enabled = true) => ({ url: "http://127.0.0.1:9/", enabled });

/** Creates a server in every config layer. Project servers wait for trust. */
async function writeEveryLayer() {
  const testProject = await makeTestProject();
  const mcp = (id: string) => ({ mcp: { servers: { [id]: server() } } });
  await testProject.write("managed.json", {
    mcp: {
      servers: { managed: server(), banned: { enabled: false }, shut: server(false) },
      permissions: { deny: ["own:drop"], ask: ["own:write"], allow: ["own:read"] },
      naming: "{server}.{tool}",
    },
  });
  await testProject.write("config/plugboard/config.json", mcp("user"));
  await testProject.write("project/.mcp.json", mcp("project"));
  await testProject.write("project/.plugboard/config.local.json", mcp("local"));
  const named = await testProject.write("named.json", mcp("named"));
  const open = async (options: CreateHostOptions) => {
    const { project: cwd, env } = testProject;
    const host = await createHost({ cwd, env, managedConfigPath: join(testProject.root, "managed.json"), ...options });
    onTestFinished(() => host.close());
    return host;
  };
  const ids = async (options: CreateHostOptions) => {
    const host = await open({ servers: { own: server() }, ...options });
    const found = host.status().map(({ id }) => id);
    await host.close();
    return found.toSorted();
  };
  return { testProject, open, ids, named };
}

describe("createHost", () => {
  it("has only the program's servers unless the program names config layers", async () => {
    const { ids, named } = await writeEveryLayer();
    expect(await ids({})).toEqual(["own"]);
    expect(await ids({ configFiles: [named] })).toEqual(["named", "own"]);
    expect(await ids({ config: ["user"] })).toEqual(["own", "user"]);
    expect(await ids({ config: ["project"] })).toEqual(["own", "project"]);
    expect(await ids({ config: ["local"] })).toEqual(["local", "own"]);
    expect(await ids({ config: ["managed"] })).toEqual(["managed", "own", "shut"]);
    const all = await ids({ config: ["managed", "user", "project", "local"] });
    expect(all).toEqual(["local", "managed", "own", "project", "shut", "user"]);
  });

  it("opens further workspaces with the same config layers", async () => {
    const { testProject, open } = await writeEveryLayer();
    const host = await open({});
    const workspace = await host.as("chat").workspace({ cwd: testProject.project });
    expect(await workspace.status()).toEqual([]);
  });

  it("always applies the deny and ask rules and the disabled servers of the managed layer, but not its allow rules", async () => {
    const { testProject, open } = await writeEveryLayer();
    const tools = ["drop", "write", "read"].map((name) => ({ name, inputSchema: { type: "object" } }));
    const { entry } = await testProject.scriptedServer("own", { tools });
    const host = await open({ servers: { own: entry, banned: server(), shut: server() } });
    await host.ready();
    expect(host.status().map(({ id, state }) => `${id} ${state}`)).toEqual([
      expect.stringContaining("own"),
      "banned disabled",
      "shut disabled",
    ]);
    expect(host.tools.list().map(({ name }) => name)).toEqual([
      "mcp__own__write",
      "mcp__own__read",
      "mcp__own__announce",
    ]);
    await expect(host.tools.call("own:drop", {})).rejects.toMatchObject({ code: "TOOL_DENIED" });
    await expect(host.tools.call("own:write", {})).rejects.toMatchObject({ code: "NOBODY_TO_ASK" });
    await expect(host.tools.call("own:read", {})).rejects.toMatchObject({ code: "NOBODY_TO_ASK" });
  });

  it.each<[object, string, string, string | undefined]>([
    [{ servrs: {} }, "servrs", 'unknown option "servrs"', "servers"],
    [{ model: () => {} }, "model", 'unknown option "model"', undefined],
    [{ ports: { anser: () => {} } }, "anser", 'unknown port "anser"', "answer"],
    [{ config: ["usr"] }, "usr", 'unknown config layer "usr"', "user"],
    [{ config: "user" }, "config", '"config" must be a list of layers (managed, user, project, local)', undefined],
  ])("rejects the options %j and suggests the closest known name", async (options, option, reason, suggestion) => {
    const error = await createHost(options).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "OPTION_INVALID", details: { option, reason } });
    expect(error.details.suggestion).toBe(suggestion);
    if (suggestion !== undefined) expect(error.message).toContain(`Did you mean "${suggestion}"?`);
  });
});

describe("EmbeddedHost", () => {
  it("closes and stops its processes at the end of an `await using` block", async () => {
    const testProject = await makeTestProject();
    const { entry } = await testProject.scriptedServer("own", { tools: [] });
    let pid: number | undefined;
    {
      await using host = await createHost({ cwd: testProject.project, env: testProject.env, servers: { own: entry } });
      await host.ready();
      pid = host.status()[0]!.pid;
      expect(isAlive(pid!)).toBe(true);
    }
    expect(isAlive(pid!)).toBe(false);
  });
});

describe("the methods of EmbeddedHost", () => {
  it("reject unknown options, and suggest the right one", async () => {
    const host = await createHost({ persist: false });
    onTestFinished(() => host.close());
    const misspelt = (options: object) => options as never;
    const errors = await Promise.all(
      [
        host.tools.call("s:t", {}, misspelt({ sginal: AbortSignal.abort() })),
        host.activity.stats(misspelt({ sapnMs: 1 })),
        host.activity.recent(misspelt({ limt: 1 })),
        host.resources.read("s", "u", misspelt({ onProgres: () => {} })),
        host.ready(misspelt({ timeout: 1 })),
        host.tools.forModel("s:t", { content: [] }, misspelt({ limitByte: 1 })),
        host.activity.stats(null as never),
        host.tools.call("s:t", {}, null as never),
      ].map((rejected) => rejected.then(String, (error: HostError) => [error.code, error.message])),
    );
    const correct = (method: string) => `Correct the options passed to ${method}.`;
    const unknown = (method: string, option: string, meant: string) => [
      "OPTION_INVALID",
      `${method}: unknown option "${option}". Did you mean "${meant}"? ${correct(method)}`,
    ];
    const noObject = (method: string) => [
      "OPTION_INVALID",
      `${method}: the options must be an object. ${correct(method)}`,
    ];
    expect(errors).toEqual([
      unknown("tools.call", "sginal", "signal"),
      unknown("activity.stats", "sapnMs", "spanMs"),
      unknown("activity.recent", "limt", "limit"),
      unknown("resources.read", "onProgres", "onProgress"),
      unknown("ready", "timeout", "timeoutMs"),
      unknown("tools.forModel", "limitByte", "limitBytes"),
      noObject("activity.stats"),
      noObject("tools.call"),
    ]);
  });

  it("reject with OPTION_INVALID if `events` gets anything but a sequence number", async () => {
    const host = await createHost({ persist: false });
    onTestFinished(() => host.close());
    const events = host.events({ signal: AbortSignal.timeout(60_000) } as never);
    const reading = events[Symbol.asyncIterator]().next();
    await expect(reading).rejects.toMatchObject({ code: "OPTION_INVALID", details: { method: "events" } });
  });
});

describe("EmbeddedHost.servers.connect", () => {
  it.each([
    [{ command: "npx" }, 'unknown option "command"; the keys of a server belong in "definition"', "definition"],
    [{ singal: undefined }, 'unknown option "singal"', "signal"],
  ])("rejects the options %j and suggests the right one", async (options, reason, suggestion) => {
    const host = await createHost({ persist: false });
    onTestFinished(() => host.close());
    const error = await host.servers.connect("files", options as object).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "OPTION_INVALID", details: { method: "servers.connect", reason, suggestion } });
    expect(error.message).toBe(
      `servers.connect: ${reason}. Did you mean "${suggestion}"? Correct the options passed to servers.connect.`,
    );
  });
});
