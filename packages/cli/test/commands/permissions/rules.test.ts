/** Tests `plugboard permissions list`, `allow`, `ask`, `deny` and `reset`. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { setUpProject } from "../../helpers/project.ts";
import { runInTerminal, runPiped, runPipedProcess } from "../../helpers/run-plugboard.ts";

const SERVERS = { mcp: { servers: { s: scriptedLegacy() } } };

describe("plugboard permissions", () => {
  it("adds a rule that denies, asks about or allows calls, and replaces the rule with another effect", async () => {
    const project = await setUpProject({ user: SERVERS });
    const denied = await runPipedProcess(project, "permissions", "deny", "s:echo", "--json");
    expect(await parseOutput("permissions", denied.stdout)).toMatchObject({
      scope: "user",
      added: ["s:echo"],
      replaced: [],
    });
    expect((await runPiped(project, "call", "s:echo", "text=hi")).stderr).toContain("TOOL_DENIED");
    const asked = await runPipedProcess(project, "permissions", "ask", "s:echo");
    expect(asked.stdout).toBe(
      `Added ask s:echo to ${project.files.user}\nRemoved deny s:echo from ${project.files.user}\n`,
    );
    expect((await runPiped(project, "call", "s:echo", "text=hi")).stderr).toContain("NOBODY_TO_ASK");
    await runPipedProcess(project, "permissions", "allow", "s:echo");
    expect(await runPiped(project, "call", "s:echo", "text=hi")).toMatchObject({ status: 0 });
    expect((await runPiped(project, "permissions", "allow", "s:echo")).stdout).toContain("has allow s:echo already");
  });

  it("warns about a rule for a server that does not exist, and adds it", async () => {
    const project = await setUpProject({ user: { mcp: { servers: { files: scriptedLegacy() } } } });
    const { status, stdout, stderr } = await runPiped(project, "permissions", "deny", "fils:write_*", "*:delete_*");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'warning: there is no server "fils" here; did you mean "files"?\n',
    });
    expect(stdout).toContain("Added deny fils:write_*");
    expect((await runPiped(project, "permissions", "deny", "files:write_*")).stderr).toBe("");
  });

  it("warns about a tool that the last catalog of the server does not have, and adds the rule", async () => {
    const project = await setUpProject({ user: SERVERS });
    // No host has connected the server, so its tools are unknown.
    expect((await runPiped(project, "permissions", "deny", "s:ehco")).stderr).toBe("");
    await runPipedProcess(project, "call", "s:echo", "text=hi", "--yes");
    const { status, stdout, stderr } = await runPiped(project, "permissions", "ask", "s:ehco", "s:echo", "s:eh*");
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'warning: "s" has no tool "ehco"; did you mean "echo"?\n',
    });
    expect(stdout).toContain("Added ask s:ehco");
    const withArguments = await runPiped(project, "permissions", "deny", "s:ehco(text=a)");
    expect(withArguments.stderr).toContain('"s" has no tool "ehco"');
  });

  it("writes the rules of a project, which may deny and ask, but not allow", async () => {
    const project = await setUpProject({ user: SERVERS });
    await runPiped(project, "permissions", "deny", "s:*", "*:delete_*", "--scope", "project");
    expect(JSON.parse(await project.read("project"))).toMatchObject({
      mcp: { permissions: { deny: ["s:*", "*:delete_*"] } },
    });
    expect((await runPiped(project, "call", "s:echo", "text=hi")).stderr).toContain("TOOL_DENIED");
    const refused = await runPiped(project, "permissions", "allow", "s:*", "--scope", "project");
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain("use --scope user");
  });

  it("lists the rules with their source, and the calls that the user has allowed", async () => {
    const project = await setUpProject({
      user: { ...SERVERS, mcp: { ...SERVERS.mcp, permissions: { ask: ["s:*"] } } },
      project: { permissions: { deny: ["*:delete_*"] } },
    });
    const terminal = runInTerminal(project, "call", "s:echo", "text=hi");
    await terminal.waitFor("Allow s:echo? y = once, a = always");
    terminal.type("a\r");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    const { stdout } = await runPipedProcess(project, "permissions", "list");
    const shown = stdout.replaceAll(project.home, "<home>").replace(/\d{4}-\d\d-\d\d +\S+/, "<date>  <id>");
    await expect(shown).toMatchFileSnapshot("../../golden/permissions-list.txt");
    const json = await runPipedProcess(project, "permissions", "list", "--json");
    expect(await parseOutput("permissions-list", json.stdout)).toMatchObject({
      rules: [
        { effect: "ask", source: "user" },
        { effect: "deny", source: "project" },
      ],
      decisions: [{ server: "s", tool: "echo", scope: "always" }],
    });

    const reset = await runPipedProcess(project, "permissions", "reset", "s:echo", "--json");
    expect(await parseOutput("permissions-reset", reset.stdout)).toMatchObject({
      rules: [],
      decisions: [{ tool: "echo" }],
    });
    expect((await runPiped(project, "call", "s:echo", "text=hi")).stderr).toContain("NOBODY_TO_ASK");
  });

  it("removes one rule or all rules of a scope", async () => {
    const rules = { allow: ["a:*"], deny: ["b:*", "c:*"] };
    const project = await setUpProject({ user: { permissions: rules }, project: { permissions: { deny: ["d:*"] } } });
    const { stdout } = await runPipedProcess(project, "permissions", "reset", "b:*");
    expect(stdout).toBe(`Removed deny b:* from ${project.files.user}\n`);
    const elsewhere = await runPiped(project, "permissions", "reset", "d:*");
    expect(elsewhere.stderr).toContain("use --scope project");
    expect((await runPiped(project, "permissions", "reset", "x:*")).stderr).toContain(
      'no rule or stored decision "x:*"',
    );
    await runPiped(project, "permissions", "reset", "--all");
    expect(JSON.parse(await project.read("user"))).toEqual({ permissions: { allow: [], deny: [] } });
    expect(JSON.parse(await project.read("project"))).toEqual({ permissions: { deny: ["d:*"] } });
  });

  it.each([
    ["a missing rule", ["deny"], "missing argument"],
    ["a rule without a tool", ["deny", "files"], '"files" is not a rule: for all tools of the server, write files:*'],
    ["an invalid rule after a valid one", ["deny", "s:x", ":y"], '":y" is not a rule: the server is missing'],
    ["a reset of nothing", ["reset"], "name a rule, a tool or a decision, or give --all"],
    ["a reset of one and all", ["reset", "a:b", "--all"], "or give --all"],
  ])("rejects %s, and changes nothing", async (_, words, message) => {
    const project = await setUpProject({ user: SERVERS });
    const before = await project.read("user");
    const { status, stderr } = await runPiped(project, "permissions", ...words);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`See \`plugboard permissions ${words[0]} --help\`.`);
    expect(await project.read("user")).toBe(before);
  });
});
