/** Tests `plugboard get`, `remove`, `enable`, `disable` and `list --scope`. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { setUpProject } from "../../helpers/project.ts";
import { runPiped, runPipedProcess } from "../../helpers/run-plugboard.ts";

const MINE = { mcp: { servers: { s: { command: "mine", env: { KEY: "hunter2" } } } } };
const THEIRS = { mcp: { servers: { s: { command: "theirs" }, t: { command: "other" } } } };

describe("plugboard get", () => {
  it("shows the effective definition, its file, and the other files with the server", async () => {
    const project = await setUpProject({ user: MINE, project: THEIRS });
    await runPiped(project, "trust", "s", "--yes");
    const { status, stdout } = await runPipedProcess(project, "get", "s");
    expect(status).toBe(0);
    await expect(stdout.replaceAll(project.home, "<home>")).toMatchFileSnapshot("../../golden/get.txt");
  });

  it("masks values in text and JSON, and marks a definition that waits for approval", async () => {
    const project = await setUpProject({ user: MINE, project: THEIRS });
    const { stdout } = await runPipedProcess(project, "get", "s", "--json");
    expect(await parseOutput("get", stdout)).toMatchObject({ source: "user", config: { env: { KEY: "***" } } });
    expect(stdout + (await runPiped(project, "get", "s")).stdout).not.toContain("hunter2");
    const waiting = await runPiped(project, "get", "t", "--json");
    expect(await parseOutput("get", waiting.stdout)).toMatchObject({ source: "project", untrusted: true });
    expect((await runPiped(project, "get", "t")).stdout).toContain("plugboard trust t");
  });

  it("shows that a definition is invalid, and only the problems of this definition, with place and reason", async () => {
    const servers = { bad: { command: "npx", args: "x" }, odd: { command: "npx", strict_result: true } };
    const project = await setUpProject({ user: { mcp: { servers } } });
    const bad = await runPiped(project, "get", "bad");
    expect([bad.status, bad.stdout]).toEqual([
      0,
      expect.stringMatching(/^ +enabled: +invalid: "args" must be an array$/m),
    ]);
    expect(bad.stderr).toMatch(/^error: \S+\.json:\d+:\d+: "bad": "args" must be an array\n$/);
    const odd = await runPiped(project, "get", "odd");
    expect([odd.status, odd.stdout]).toEqual([0, expect.stringMatching(/^ +enabled: +yes$/m)]);
    expect(odd.stderr).toMatch(/^warning: \S+\.json:\d+:\d+: "odd": unknown key "strict_result"; did you mean .*\n$/);
    const scoped = await runPiped(project, "get", "bad", "--scope", "user");
    expect([scoped.stdout, scoped.stderr]).toEqual([bad.stdout, bad.stderr]);
  });

  it("shows the definition of one scope with --scope", async () => {
    const project = await setUpProject({ user: MINE, project: THEIRS });
    expect((await runPiped(project, "get", "s", "--scope", "project")).stdout).toContain("runs:       theirs");
    const { status, stderr } = await runPiped(project, "get", "t", "--scope", "global");
    expect(status).toBe(2);
    expect(stderr).toContain("use --scope project");
  });

  it("shows why a definition is invalid, and suggests a similar id for an unknown id", async () => {
    const project = await setUpProject({ user: { mcpServers: { broken: { command: 7, args: 8 } } } });
    expect((await runPiped(project, "get", "broken")).stdout).toContain(
      '"command" must be a string (and 1 more problem',
    );
    const { status, stderr } = await runPiped(project, "get", "broke");
    expect(status).toBe(2);
    expect(stderr).toContain('Did you mean "broken"?');
  });
});

describe("plugboard remove", () => {
  it(
    "removes the project's definition, and the user's stays effective",
    { meta: { covers: ["R2.66", "R2.85", "R2.88"] } },
    async () => {
      const project = await setUpProject({ user: MINE, project: THEIRS });
      const { stdout } = await runPipedProcess(project, "remove", "s");
      await expect(stdout.replaceAll(project.home, "<home>")).toMatchFileSnapshot("../../golden/remove.txt");
      expect(Object.keys(await project.servers("project"))).toEqual(["t"]);
      expect(Object.keys(await project.servers("user"))).toEqual(["s"]);
      expect((await runPiped(project, "get", "s")).stdout).toContain("mine");
    },
  );

  it("removes the user's definition with --scope user", { meta: { covers: ["R2.71"] } }, async () => {
    const project = await setUpProject({ user: MINE, project: THEIRS });
    const { stdout } = await runPipedProcess(project, "remove", "s", "--scope", "user", "--json");
    expect(await parseOutput("remove", stdout)).toMatchObject({ stillDefinedIn: { source: "project" } });
    expect(await project.servers("user")).toEqual({});
  });

  it("finds the scope by itself if only one scope other than the project has the server", async () => {
    const project = await setUpProject({ user: MINE, local: { mcpServers: { t: { command: "x" } } } });
    expect((await runPiped(project, "remove", "s")).stdout).toBe(`Removed s from ${project.files.user} (user)\n`);
    expect(await project.servers("user")).toEqual({});
    expect((await runPiped(project, "remove", "t")).stdout).toContain(`${project.files.local} (local)`);
  });

  it("asks for --scope if the user's and the local file have the server, and removes nothing", async () => {
    const project = await setUpProject({ user: MINE, local: { mcpServers: { s: { command: "x" } } } });
    const { status, stderr } = await runPiped(project, "remove", "s");
    expect(status).toBe(2);
    expect(stderr).toContain(
      `"s" is in ${project.files.local} (local) and ${project.files.user} (user). Choose one with --scope local or --scope user`,
    );
    expect(Object.keys(await project.servers("user"))).toEqual(["s"]);
    expect(Object.keys(await project.servers("local"))).toEqual(["s"]);
  });

  it("removes several servers, or none if one of them is unknown", async () => {
    const project = await setUpProject({ user: { mcpServers: { u: { command: "x" } } }, project: THEIRS });
    const refused = await runPiped(project, "remove", "s", "nothing");
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("SERVER_UNKNOWN")]);
    expect(Object.keys(await project.servers("project"))).toEqual(["s", "t"]);
    const { stdout } = await runPiped(project, "remove", "s", "u", "--json");
    expect(await parseOutput("remove", stdout)).toEqual([
      { id: "s", scope: "project", files: [project.files.project] },
      { id: "u", scope: "user", files: [project.files.user] },
    ]);
    expect(Object.keys(await project.servers("project"))).toEqual(["t"]);
    expect(await project.servers("user")).toEqual({});
  });

  it("fails with --scope if only another scope has the server, and names that scope", async () => {
    const project = await setUpProject({ user: MINE });
    const { status, stderr } = await runPiped(project, "remove", "s", "--scope", "project");
    expect(status).toBe(2);
    expect(stderr).toContain(`but ${project.files.user} has one; use --scope user`);
    expect(Object.keys(await project.servers("user"))).toEqual(["s"]);
  });
});

describe("plugboard enable and disable", () => {
  it("change the entry of the project", { meta: { covers: ["R2.67", "R2.68", "R2.85"] } }, async () => {
    const project = await setUpProject({ project: THEIRS });
    const disabled = await runPipedProcess(project, "disable", "s");
    expect(disabled).toMatchObject({ status: 0, stderr: "" });
    expect(await project.servers("project")).toMatchObject({ s: { command: "theirs", enabled: false } });
    const enabled = await runPipedProcess(project, "enable", "s", "--json");
    expect(await parseOutput("enable", enabled.stdout)).toMatchObject({ changed: true, effective: "untrusted" });
    expect(await project.servers("project")).toMatchObject({ s: { command: "theirs", enabled: true } });
  });

  it("change the entry of the user with --scope user", { meta: { covers: ["R2.71"] } }, async () => {
    const project = await setUpProject({ user: MINE });
    const { stdout } = await runPiped(project, "disable", "s", "--scope", "global");
    expect(stdout).toBe(`Disabled s in ${project.files.user} (user)\n`);
    expect(await project.servers("user")).toMatchObject({ s: { enabled: false } });
    expect((await runPiped(project, "disable", "s", "--scope", "user")).stdout).toContain("s is already disabled");
  });

  it("disable and enable, in one project, a server of the user's config", { meta: { covers: ["R2.54"] } }, async () => {
    const project = await setUpProject({ user: { mcp: { servers: { s: scriptedLegacy() } } } });
    expect((await runPiped(project, "disable", "s")).stdout).toContain("plugboard disable s --scope user");
    expect(await project.servers("project")).toEqual({ s: { enabled: false } });
    expect((await runPiped(project, "call", "s:echo", "text=hi")).stderr).toContain("SERVER_DISABLED");
    await runPiped(project, "disable", "s", "--scope", "user");
    expect(await runPiped(project, "enable", "s")).toMatchObject({ status: 0, stderr: "" });
    expect(await runPiped(project, "call", "s:echo", "text=hi")).toMatchObject({ status: 0, stderr: "" });
  });

  it("say which file decides if the change has no effect", async () => {
    const project = await setUpProject({ user: MINE, local: { mcpServers: { s: { enabled: false } } } });
    const { stderr } = await runPiped(project, "enable", "s", "--scope", "user");
    expect(stderr).toBe(`warning: "s" stays disabled, because ${project.files.local} decides.\n`);
  });

  it("change nothing if another file is invalid", async () => {
    const project = await setUpProject({ project: THEIRS });
    await project.write("user", "{");
    const { status, stderr } = await runPiped(project, "disable", "s");
    expect(status).toBe(2);
    expect(stderr).toContain(`CONFIG_INVALID: ${project.files.user}:1:2`);
    expect(await project.servers("project")).toEqual(THEIRS.mcp.servers);
  });

  it("do not approve an entry of another file that enables the server", async () => {
    const disabled = { mcp: { servers: { s: { command: "mine", enabled: false } } } };
    const project = await setUpProject({ user: disabled, local: { mcpServers: { s: { enabled: true } } } });
    expect((await runPiped(project, "enable", "s", "--scope", "user")).status).toBe(0);
    await runPiped(project, "disable", "s", "--scope", "user");
    expect((await runPiped(project, "list")).stdout).toMatch(/^s +stdio +user +no/m);
  });

  it("fail for an unknown server, and for a server that only a higher layer has", async () => {
    const project = await setUpProject({ local: { mcpServers: { s: { command: "x" } } } });
    expect((await runPiped(project, "enable", "ss")).stderr).toContain('Did you mean "s"?');
    expect((await runPiped(project, "enable", "s")).stderr).toContain("use --scope local");
  });
});

describe("plugboard list --scope", () => {
  it("lists the effective servers by default", { meta: { covers: ["R2.65", "R2.86"] } }, async () => {
    const project = await setUpProject({ user: MINE, project: THEIRS });
    const byDefault = (await runPiped(project, "list")).stdout;
    expect((await runPiped(project, "list", "--scope", "effective")).stdout).toBe(byDefault);
    expect(byDefault).toMatch(/^s +stdio +user +yes +mine$/m);
  });

  it("lists the entries of the given scope", { meta: { covers: ["R2.65"] } }, async () => {
    const project = await setUpProject({
      user: MINE,
      shared: { mcpServers: { u: { command: "u" } } },
      project: { mcpServers: { s: { enabled: false }, v: { url: 7 } } },
    });
    const { stdout } = await runPipedProcess(project, "list", "--scope", "project");
    await expect(stdout).toMatchFileSnapshot("../../golden/list-scope.txt");
    const user = await runPipedProcess(project, "list", "--scope", "global", "--json");
    expect(await parseOutput("list", user.stdout)).toMatchObject([{ id: "s", source: "user", target: "mine" }]);
    expect(user.stdout).not.toContain("hunter2");
    const entries = await parseOutput("list", (await runPiped(project, "list", "--scope", "project", "--json")).stdout);
    expect(entries).toMatchObject([
      { id: "u" },
      { id: "v", invalid: '"url" must be a string' },
      { id: "s", enabled: false },
    ]);
    expect((await runPiped(project, "list", "--scope", "local")).stdout).toContain("No servers in");
  });
});
