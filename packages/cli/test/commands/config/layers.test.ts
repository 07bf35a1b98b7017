/** Tests at the command line which files are read, how layers are merged, and what an invalid definition does. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { setUpProject } from "../../helpers/project.ts";
import type { Project } from "../../helpers/project.ts";
import { runPipedProcess } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

interface ListedServer {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly enabled: boolean;
}

async function list(setup: Setup, ...options: string[]): Promise<ListedServer[]> {
  const { stdout } = await runPipedProcess(setup, "list", "--json", ...options);
  return JSON.parse(stdout) as ListedServer[];
}

async function writeIn(folder: string, path: string, config: object): Promise<void> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(config));
}

const command = (name: string) => ({ command: name });
const servers = (entries: object) => ({ version: 1, mcp: { servers: entries } });

/** Approves all servers of the project. */
async function approve(project: Project): Promise<void> {
  expect(await runPipedProcess(project, "trust", "--all", "--yes")).toMatchObject({ status: 0 });
}

describe("plugboard reads", () => {
  it("the user's file that PLUGBOARD_CONFIG_PATH names", { meta: { covers: ["R2.90"] } }, async () => {
    const project = await setUpProject({ user: servers({ mine: command("x") }) });
    expect(await list(project)).toMatchObject([{ id: "mine", source: "user" }]);
  });

  it("the user's file below the config folder of the system", { meta: { covers: ["R2.91", "R3.23"] } }, async () => {
    const project = await setUpProject();
    const { PLUGBOARD_CONFIG_PATH: _, ...env } = project.env;
    const path = process.platform === "darwin" ? "Library/Application Support" : ".config";
    await writeIn(project.home, `${path}/plugboard/config.json`, servers({ mine: command("x") }));
    expect(await list({ ...project, env })).toMatchObject([{ id: "mine", source: "user" }]);
  });

  it(
    "the project's file in .plugboard, from every folder below",
    { meta: { covers: ["R2.92", "R3.22"] } },
    async () => {
      const project = await setUpProject({ project: servers({ theirs: command("x") }) });
      const cwd = join(project.cwd, "deep", "down");
      await mkdir(cwd, { recursive: true });
      expect(await list({ ...project, cwd })).toMatchObject([{ id: "theirs", source: "project" }]);
    },
  );

  it("comments and trailing commas", { meta: { covers: ["R3.25"] } }, async () => {
    const project = await setUpProject();
    await project.write("user", '// mine\n{ "mcpServers": { "a": { "command": "x", /* no arguments */ }, }, }');
    expect(await list(project)).toMatchObject([{ id: "a", target: "x" }]);
  });

  it("several servers, each under its key as its name", { meta: { covers: ["R3.20", "R3.26"] } }, async () => {
    const project = await setUpProject({ user: servers({ a: command("x"), b: { url: "https://b.example/mcp" } }) });
    expect((await list(project)).map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("--mcp-server, which overrides the files", { meta: { covers: ["R3.24", "R3.27"] } }, async () => {
    const project = await setUpProject({ user: servers({ a: command("old") }) });
    expect(await list(project, "--mcp-server", "a=new --flag")).toMatchObject([
      { id: "a", source: "invocation", target: "new --flag" },
    ]);
  });
});

describe("plugboard merges", () => {
  const user = servers({ both: command("mine"), only: command("only-mine") });

  it(
    "servers by id, and the project's definition wins",
    { meta: { covers: ["R2.52", "R2.93", "R2.94"] } },
    async () => {
      const project = await setUpProject({
        user,
        project: servers({ both: command("theirs"), more: command("more") }),
      });
      await approve(project);
      expect((await list(project)).map(({ id, source, target }) => [id, source, target])).toEqual([
        ["both", "project", "theirs"],
        ["only", "user", "only-mine"],
        ["more", "project", "more"],
      ]);
    },
  );

  it("enabled: false of the project into a server of the user's", { meta: { covers: ["R2.54"] } }, async () => {
    const project = await setUpProject({ user, project: servers({ only: { enabled: false } }) });
    expect(await list(project)).toMatchObject([
      { id: "both", enabled: true },
      { id: "only", enabled: false },
    ]);
  });

  it("the key enabled, and connects no disabled server", { meta: { covers: ["R2.95"] } }, async () => {
    const entry = scriptedLegacy();
    const project = await setUpProject({ user: servers({ on: entry, off: { ...entry, enabled: false } }) });
    const { stdout } = await runPipedProcess(project, "status", "--connect", "--json");
    expect(JSON.parse(stdout)).toMatchObject([
      { id: "on", state: "ready" },
      { id: "off", state: "disabled" },
    ]);
  });
});

describe("plugboard disables only the invalid server", () => {
  it.each([
    ["http without a url", { transport: "http" }, '"url" is missing'],
    ["stdio without a command", { transport: "stdio" }, '"command" is missing'],
  ])("for %s", { meta: { covers: ["R2.96", "R2.97", "R2.98"] } }, async (_, entry, message) => {
    const project = await setUpProject({ user: servers({ bad: entry, good: scriptedLegacy() }) });
    const { status, stderr } = await runPipedProcess(project, "call", "good:echo", "text=hi");
    expect(status).toBe(0);
    expect(stderr).toContain(`error: ${project.files.user}:`);
    expect(stderr).toContain(`"bad": ${message}`);
    expect((await runPipedProcess(project, "call", "bad:echo")).stderr).toContain("SERVER_INVALID");
  });
});
