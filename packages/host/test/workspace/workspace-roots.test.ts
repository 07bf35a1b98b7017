/** Tests the roots that a workspace sends to its servers. */
import { realpathSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { WorkspaceRoots } from "#workspace/workspace-roots.js";
import type { RootsPort } from "#workspace/workspace-roots.js";
import type { HostEventData, JsonObject, Root, ConfigSource } from "@plugboard/contracts";
import type { Connection } from "@plugboard/mcp";
import { filesystemStdio } from "@plugboard/testkit/third-party-servers";
import { everythingStdio, modernStdio } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { embeddedHost } from "../helpers/embedded-host.ts";
import { ann, connectServers, stdioServer } from "../helpers/connect-servers.ts";
import type { TestServer } from "../helpers/connect-servers.ts";

const FOLDER = "/home/ann/project";
const rootOfProgram: Root = { uri: "file:///there", name: "there" };

function makeRoots(port?: RootsPort, folder = FOLDER) {
  const events: HostEventData[] = [];
  const emit = (event: HostEventData) => void events.push(event);
  const roots = new WorkspaceRoots({ folder, emit, ...(port && { port: { id: "p1", roots: port } }) });
  const changes: (readonly Root[])[] = [];
  roots.onChanged(() => changes.push(current()));
  const current = () => roots.rootsFor("project")?.roots() ?? [];
  return { roots, current, events, changes };
}

describe("WorkspaceRoots", () => {
  const own = [{ uri: "file:///home/ann/project", name: "project" }];

  it.each<ConfigSource>(["project", "local"])(
    "gives the folder of the workspace to servers of the source %s",
    (source) => {
      expect(makeRoots().roots.rootsFor(source)?.roots()).toEqual(own);
      expect(makeRoots().roots.rootsFor(source, false)).toBeUndefined();
    },
  );

  it.each<ConfigSource>(["user", "managed"])(
    "gives roots to servers of the source %s only if their definition asks for them",
    (source) => {
      expect(makeRoots().roots.rootsFor(source)).toBeUndefined();
      expect(makeRoots(() => [rootOfProgram]).roots.rootsFor(source)).toBeUndefined();
      expect(makeRoots().roots.rootsFor(source, true)?.roots()).toEqual(own);
    },
  );

  it("gives roots to a program's servers only if their definition asks for them or the program has a roots port", () => {
    expect(makeRoots().roots.rootsFor("invocation")).toBeUndefined();
    expect(makeRoots().roots.rootsFor("invocation", true)?.roots()).toEqual(own);
    expect(makeRoots(() => [rootOfProgram]).roots.rootsFor("invocation")).toBeDefined();
    expect(makeRoots(() => [rootOfProgram]).roots.rootsFor("invocation", false)).toBeUndefined();
  });

  it("has the same key for the same folder, and different keys for different folders", () => {
    const key = (folder: string) => makeRoots(undefined, folder).roots.rootsFor("project")?.key;
    expect(key("/a")).toEqual(key("/a"));
    expect(key("/a")).not.toEqual(key("/b"));
  });

  it("keeps its key when the roots change, and has a different key for another program's port", async () => {
    let programRoots: Root[] = [rootOfProgram];
    const { roots } = makeRoots(() => programRoots);
    await roots.refresh();
    const before = roots.rootsFor("project")?.key;
    programRoots = [];
    await roots.refresh();
    expect(roots.rootsFor("project")?.key).toEqual(before);
    const other = new WorkspaceRoots({ folder: FOLDER, emit: () => {}, port: { id: "p2", roots: () => programRoots } });
    expect(other.rootsFor("project")?.key).not.toEqual(before);
    expect(makeRoots().roots.rootsFor("project")?.key).not.toEqual(before);
  });
});

describe("WorkspaceRoots with a roots port", () => {
  it("has no roots before the first refresh", async () => {
    const asked: string[] = [];
    const { roots, current } = makeRoots(async ({ folder }) => (asked.push(folder), [rootOfProgram]));
    expect(current()).toEqual([]);
    await roots.refresh();
    expect(current()).toEqual([rootOfProgram]);
    expect(asked).toEqual([FOLDER]);
  });

  it("notifies listeners only if the roots have changed", async () => {
    let programRoots: Root[] = [rootOfProgram];
    const { roots, changes } = makeRoots(() => programRoots);
    await roots.refresh();
    await roots.refresh();
    programRoots = [];
    await roots.refresh();
    expect(changes).toEqual([[rootOfProgram], []]);
  });

  it("uses the roots of the latest refresh, even if an earlier refresh ends after it", async () => {
    let answerFirst: (roots: Root[]) => void = () => {};
    const first = new Promise<Root[]>((resolve) => (answerFirst = resolve));
    const answers = [first, Promise.resolve([rootOfProgram])];
    const { roots, current } = makeRoots(() => answers.shift()!);
    const [slow, quick] = [roots.refresh(), roots.refresh()];
    await quick;
    answerFirst([{ uri: "file:///old" }]);
    await slow;
    expect(current()).toEqual([rootOfProgram]);
  });

  it.each<[string, () => unknown, string]>([
    [
      "an exception",
      () => {
        throw new Error("no idea");
      },
      "no idea",
    ],
    ["a value that is not a list", () => ({ uri: "file:///x" }), "the roots must be a list"],
    [
      "a URL that is not a file URL",
      () => [{ uri: "https://example.com" }],
      'must be a file: URL, not "https://example.com"',
    ],
    ["a root without a URI", () => [{ name: "x" }], "must be a file: URL"],
  ])("keeps its roots if the port fails with %s", async (_, failingPort, reason) => {
    let port = (() => [rootOfProgram]) as () => unknown;
    const { roots, current, events, changes } = makeRoots((() => port()) as RootsPort);
    await roots.refresh();
    port = failingPort;
    await roots.refresh();
    expect(current()).toEqual([rootOfProgram]);
    expect(changes).toHaveLength(1);
    expect(events).toMatchObject([
      { type: "port.failed", port: "roots", error: { code: "PORT_FAILED", details: { port: "roots" } } },
    ]);
    expect(JSON.stringify(events)).toContain(JSON.stringify(reason).slice(1, -1));
  });
});

/** Connects to a server that gets the roots and is notified when they change. */
function connectWithRoots(server: TestServer, roots: WorkspaceRoots) {
  const clientCapabilities = { roots: roots.rootsFor("project")?.roots };
  const { connection } = connectServers({ a: { ...server, overrides: { clientCapabilities } } });
  roots.onChanged(() => connection("a").session?.notifyRootsChanged());
  return (name: string, args: JsonObject = {}) => callTool(connection("a"), name, args);
}

async function callTool(connection: Connection, name: string, args: JsonObject): Promise<string> {
  const outcome = await connection.request(
    { method: "tools/call", params: { name, arguments: args } },
    { caller: ann, timeoutMs: 15_000, maxMs: 60_000, elicitation: false },
  );
  return JSON.stringify(outcome.type === "complete" ? outcome.result["content"] : outcome);
}

async function tempFolder(): Promise<string> {
  const folder = realpathSync(await mkdtemp(join(tmpdir(), "plugboard-roots-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("the roots of a workspace", () => {
  it("reach server-filesystem, which follows their changes", async () => {
    const [one, two] = [await tempFolder(), await tempFolder()];
    let programRoots: Root[] = [{ uri: pathToFileURL(one).href }];
    const { roots } = makeRoots(() => programRoots);
    await roots.refresh();
    const call = connectWithRoots(stdioServer(filesystemStdio()), roots);
    const allowed = () => call("list_allowed_directories");
    await expect.poll(allowed, { timeout: 10_000 }).toContain(one);
    expect(await call("write_file", { path: join(two, "x.txt"), content: "x" })).toContain("Access denied");
    programRoots = [{ uri: pathToFileURL(two).href }];
    await roots.refresh();
    await expect.poll(allowed, { timeout: 10_000 }).toContain(two);
    expect(await allowed()).not.toContain(one);
    expect(await call("write_file", { path: join(two, "x.txt"), content: "x" })).toContain("Successfully wrote");
  });

  it("reach server-everything, which lists the folder of the workspace", async () => {
    const folder = await tempFolder();
    const call = connectWithRoots(stdioServer(everythingStdio()), makeRoots(undefined, folder).roots);
    const listed = await call("get-roots-list");
    expect(listed).toContain(pathToFileURL(folder).href);
    expect(listed).toContain(basename(folder));
  });

  it("reach a modern server, which requests the roots when it needs them", async () => {
    let programRoots: Root[] = [rootOfProgram];
    const { roots } = makeRoots(() => programRoots);
    const call = connectWithRoots(stdioServer(modernStdio()), roots);
    await roots.refresh();
    expect(await call("ask_roots")).toContain("file:///there");
    programRoots = [{ uri: "file:///elsewhere" }];
    await roots.refresh();
    expect(await call("ask_roots")).toContain("file:///elsewhere");
  });
});

describe("server-filesystem in a host", () => {
  it("serves the folder in its arguments, not the current folder", async () => {
    const [cwd, own] = [await tempFolder(), await tempFolder()];
    await writeFile(join(own, "notes.md"), "Buy milk.");
    const host = await embeddedHost({ cwd, servers: { files: filesystemStdio(own) } });
    expect((await host.ready()).errors).toEqual({});
    const read = await host.tools.call("files:read_text_file", { path: join(own, "notes.md") });
    expect(JSON.stringify(read.content)).toContain("Buy milk.");
    const allowed = await host.tools.call("files:list_allowed_directories", {});
    expect(JSON.stringify(allowed.content)).not.toContain(cwd);
  });

  it("serves the folders that `roots` in its definition lists, relative to the current folder", async () => {
    const [cwd, own] = [await tempFolder(), await tempFolder()];
    await mkdir(join(cwd, "docs"));
    const env = { PATH: process.env["PATH"], NAME: "docs" };
    const host = await embeddedHost({ cwd, env, servers: { files: { ...filesystemStdio(own), roots: ["${NAME}"] } } });
    const allowed = async () => JSON.stringify((await host.tools.call("files:list_allowed_directories", {})).content);
    await expect.poll(allowed, { timeout: 10_000 }).toContain(join(cwd, "docs"));
    expect(await allowed()).not.toContain(own);
  });
});
