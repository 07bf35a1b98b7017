/** Tests what the sandbox of a server allows, from its entry and the `sandbox_default` of other files. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { definitionHash } from "#definition/definition-hash.js";
import { readConfig } from "#read/read-config.js";
import { resolveServer } from "#resolve/resolve-server.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let root: string;
let home: string;
let project: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "plugboard-sandbox-")));
  home = join(root, "home");
  project = join(home, "app");
  await write("user.json", {});
});
afterEach(() => rm(root, { recursive: true }));

describe("readConfig with `sandbox`", () => {
  it.each<[unknown, () => object]>([
    [true, () => ({ read: [], write: [], network: true })],
    ["read-only", () => ({ read: [project], write: [], network: true })],
    ["offline", () => ({ read: [], write: [], network: false })],
    ["project", () => ({ read: [], write: [project], network: true })],
    [
      { read: ["~/notes", "docs", "${DATA}/x"], write: ["/srv/out"], network: ["example.com"] },
      () => ({
        read: [join(home, "notes"), join(project, "docs"), "/data/x"],
        write: ["/srv/out"],
        network: ["example.com"],
      }),
    ],
  ])("resolves %j of a project", async (sandbox, expected) => {
    await writeProject({ a: { command: "x", sandbox } });
    const { sandbox: configured } = (await read()).pending[0]!;
    expect(configured).toEqual(expected());
  });

  it("uses the folder of the workspace for a preset of the user, and the home folder for relative paths", async () => {
    await write("user.json", {
      servers: { a: { command: "x", sandbox: "project" }, b: { command: "x", sandbox: { read: ["notes"] } } },
    });
    const { servers } = await read();
    expect(servers.get("a")!.sandbox).toMatchObject({ write: [project] });
    expect(servers.get("b")!.sandbox).toMatchObject({ read: [join(home, "notes")] });
  });

  it("does not give a server the home folder as its project", async () => {
    await write("user.json", { servers: { a: { command: "x", sandbox: "project" } } });
    const server = (await read({ cwd: home })).servers.get("a")!;
    expect(() => resolveServer(server, {})).toThrow(
      expect.objectContaining({ code: "SERVER_INVALID", message: expect.stringContaining("is not a project") }),
    );
  });

  it("does not start a server whose path has a variable that is not set", async () => {
    await write("user.json", { servers: { a: { command: "x", sandbox: { read: ["${NOT_SET}"] } } } });
    const server = (await read()).servers.get("a")!;
    expect(() => resolveServer(server, {})).toThrow(
      expect.objectContaining({ code: "SERVER_INVALID", details: expect.objectContaining({ variable: "NOT_SET" }) }),
    );
  });

  it("does not start a server whose sandbox was not resolved", async () => {
    await write("user.json", { servers: { a: { command: "x", sandbox: true } } });
    const { sandbox: _, ...server } = (await read()).servers.get("a")!;
    expect(() => resolveServer(server, {})).toThrow(expect.objectContaining({ code: "SERVER_INVALID" }));
  });

  it("passes the policy with the paths that the host adds", async () => {
    await write("user.json", { servers: { a: { command: "x", sandbox: "offline" } } });
    const server = (await read()).servers.get("a")!;
    expect(resolveServer(server, {}, { sandboxPlaces: () => ({ hide: ["/state"], cache: "/cache" }) })).toMatchObject({
      target: { sandbox: { read: [], write: [], network: false, hide: ["/state"], cache: "/cache" } },
    });
  });

  it.each<[unknown, string]>([
    ["offlin", '"sandbox" must be true, false, "read-only", "offline", "project", or an object'],
    [{}, '"sandbox" must not be empty'],
    [{ wirte: ["/x"] }, '"sandbox" has the unknown key "wirte"; do you mean "write"?'],
    [{ read: "/x" }, '"sandbox" must have a list of files and folders in "read"'],
    [{ read: ["~bob/x"] }, '"sandbox" has "~bob/x" in "read", which names the home folder of another user'],
    [{ write: [""] }, '"sandbox" has "" in "write", which is not a path'],
    [{ read: ["${A"] }, '"sandbox" has "${A" in "read", which has ${'],
    [{ network: "a.com" }, '"sandbox" must have true, false or a list of hosts in "network"'],
    [{ network: ["https://a.com"] }, '"sandbox" has "https://a.com" in "network", which is not a host'],
  ])("explains the invalid value %j", async (sandbox, message) => {
    await write("user.json", { servers: { a: { command: "x", sandbox } } });
    const { servers, problems } = await read();
    expect(servers.get("a")!.definition).toMatchObject({ invalid: expect.stringContaining(message) });
    expect(problems).toMatchObject([{ severity: "error", server: "a" }]);
  });

  it("refuses it for a server at a URL", async () => {
    await write("user.json", { servers: { a: { url: "https://a.com", sandbox: true } } });
    expect((await read()).servers.get("a")!.definition).toMatchObject({ invalid: expect.stringContaining("sandbox") });
  });

  it("needs a new approval if a project adds it, and none for the same definition without it", async () => {
    const hashOf = async (entry: object) => {
      await writeProject({ a: entry });
      return definitionHash((await read()).pending[0]!);
    };
    const without = await hashOf({ command: "x" });
    expect(await hashOf({ command: "x", sandbox: "offline" })).not.toBe(without);
    await write("user.json", { sandbox_default: "project" });
    expect(await hashOf({ command: "x" })).toBe(without);
  });
});

describe("readConfig with `sandbox_default`", () => {
  const problemOf = async () => (await read()).problems.map(({ severity, server }) => [severity, server]);
  const sandboxOf = async () => (await read()).pending[0]!.sandbox;

  it("applies to the servers of a project, and not to those of the user", async () => {
    await write("user.json", { sandbox_default: "project", servers: { mine: { command: "x" } } });
    await writeProject({ a: { command: "x" }, b: { url: "https://a.com" } });
    const { servers, pending, problems } = await read();
    expect(servers.get("mine")!.sandbox).toBeUndefined();
    expect(pending.map(({ id, sandbox }) => [id, sandbox])).toEqual([
      ["a", { read: [], write: [project], network: true, limit: { read: [], write: [project] } }],
      ["b", undefined],
    ]);
    expect(problems).toEqual([]);
  });

  it("lets a project narrow it", async () => {
    await write("user.json", { sandbox_default: "project" });
    await writeProject({ a: { command: "x", sandbox: { write: ["out"], network: ["a.com"] } } });
    expect(await sandboxOf()).toMatchObject({ read: [], write: [join(project, "out")], network: ["a.com"] });
    expect(await problemOf()).toEqual([]);
  });

  it.each<[unknown, () => object]>([
    [{ write: ["~"], network: true }, () => ({ read: [], write: [project], network: ["a.com"] })],
    [
      { read: ["/etc"], write: ["out"], network: false },
      () => ({ read: [], write: [join(project, "out")], network: false }),
    ],
    [{ write: ["../other"], network: ["a.com", "b.com"] }, () => ({ read: [], write: [], network: ["a.com"] })],
    [false, () => ({ read: [], write: [project], network: ["a.com"] })],
  ])("narrows a project that asks for %j, with a problem", async (sandbox, expected) => {
    await write("user.json", { sandbox_default: { write: [project], network: ["a.com"] } });
    await writeProject({ a: { command: "x", sandbox } });
    expect(await sandboxOf()).toEqual({ ...expected(), limit: { read: [], write: [project] } });
    expect(await problemOf()).toEqual([["warning", "a"]]);
  });

  it("of the administrator applies to every program, together with that of the user", async () => {
    await write("managed.json", { sandbox_default: { read: ["~"], network: false } });
    await write("user.json", { sandbox_default: "project" });
    await writeProject({ a: { command: "x" } });
    const managedConfigPath = join(root, "managed.json");
    const both = await read({}, { managedConfigPath });
    expect(both.pending[0]!.sandbox).toMatchObject({ read: [project], write: [], network: false });
    const alone = await read({}, { managedConfigPath, layers: ["project"] });
    expect(alone.pending[0]!.sandbox).toMatchObject({ read: [home], write: [], network: false });
  });

  it("of a project is ignored", async () => {
    await write("home/app/.plugboard/config.json", { sandbox_default: false, servers: { a: { command: "x" } } });
    await write("user.json", { sandbox_default: "offline" });
    expect(await sandboxOf()).toMatchObject({ network: false });
    expect((await read()).problems).toMatchObject([
      { message: expect.stringContaining('"sandbox_default" is ignored') },
    ]);
  });

  it.each([
    [{ sandbox_default: "offlin" }],
    [{ sandbox_default: { read: ["relative"] } }],
    [{ sandbox_default: { read: ["${HOME}/x"] } }],
    [{ sandbox_defaults: "offline" }],
    [{ sandboxDefault: "offline" }],
    [{ sandbox_default: "offline", mcp: {} }],
  ])("rejects the file %j, because projects would run without it", async (content) => {
    await write("user.json", content);
    await expect(read()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});

describe("readConfig with `terminal_sandbox`", () => {
  it("resolves it for the workspace, as what all files allow, and ignores that of a project", async () => {
    expect((await read()).terminalSandbox).toBeUndefined();
    await write("managed.json", { terminal_sandbox: { read: ["~"], network: ["a.com"] } });
    await write("user.json", { terminal_sandbox: "project" });
    await write("home/app/.plugboard/config.json", { terminal_sandbox: false });
    expect((await read()).terminalSandbox).toEqual({ read: [], write: [project], network: true });
    const { terminalSandbox } = await read({}, { managedConfigPath: join(root, "managed.json") });
    expect(terminalSandbox).toEqual({ read: [project], write: [], network: ["a.com"] });
  });

  it("does not take the home folder for a project", async () => {
    await write("user.json", { terminal_sandbox: "project" });
    expect((await read({ cwd: home })).terminalSandbox).toMatchObject({
      unresolved: { reason: expect.stringContaining('"terminal_sandbox" is "project"') },
    });
  });

  it("rejects a file with an invalid value", async () => {
    await write("user.json", { terminal_sandbox: "none" });
    await expect(read()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });
});

function writeProject(mcpServers: object): Promise<void> {
  return write(join("home", "app", ".mcp.json"), { mcpServers });
}

async function write(path: string, content: object): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), JSON.stringify(content));
}

function read(spec: { cwd?: string } = {}, options: object = {}) {
  const env = { PLUGBOARD_CONFIG_PATH: join(root, "user.json"), DATA: "/data" };
  return readConfig({ cwd: project, ...spec }, env, { home, managedConfigPath: join(root, "none.json"), ...options });
}
