/** Tests `plugboard trust`. */
import { writeFile } from "node:fs/promises";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { setUpProject } from "../../helpers/project-setup.ts";
import { runInTerminal, runPiped, runPipedProcess } from "../../helpers/run-plugboard.ts";

const setUpServer = async (entry: object) => {
  const project = await setUpProject({ s: entry });
  return { ...project, define: (definition: object) => project.define({ s: definition }) };
};

it(
  "plugboard trust shows the whole definition and its variables, and the approval applies until the definition changes",
  { meta: { covers: ["A1", "A2"] } },
  async () => {
    const entry = { ...scriptedLegacy(), env: { KEY: "${SECRET_KEY:-none}" } };
    const project = await setUpServer(entry);
    const refused = await runPiped(project, "call", "s:echo", "text=hi");
    expect(refused).toMatchObject({ status: 5, stdout: "" });
    expect(refused.stderr).toContain("SERVER_UNTRUSTED");

    const { stdout } = await runPiped(project, "trust");
    expect(stdout).toContain('"KEY": "${SECRET_KEY:-none}"');
    expect(stdout).toContain("It would receive these variables:\n│ SECRET_KEY\n");
    expect(stdout).toContain("It gets the folder you run it in as its MCP root");
    expect(stdout).toContain("To approve, run: plugboard trust s\n");
    expect(JSON.parse((await runPiped(project, "list", "--json")).stdout)).toMatchObject([
      { id: "s", untrusted: true },
    ]);
    expect(await runPiped(project, "trust", "s", "--yes")).toMatchObject({ status: 0 });
    expect(await runPiped(project, "call", "s:echo", "text=hi")).toMatchObject({ status: 0, stderr: "" });
    expect((await runPiped(project, "trust")).stdout).toBe("No server needs your approval.\n");

    await project.define({ ...entry, args: [...entry.args, "--grandchild"] });
    expect((await runPiped(project, "call", "s:echo", "text=hi")).stderr).toContain("SERVER_UNTRUSTED");
    expect((await runPiped(project, "trust")).stdout).toMatch(/changed since you approved it:\n│ args.*--grandchild/);
  },
);

it("plugboard trust asks on a terminal, and needs --yes without one", { meta: { covers: ["A1"] } }, async () => {
  const project = await setUpServer(scriptedLegacy());
  const refused = await runPiped(project, "trust", "s");
  expect(refused).toMatchObject({ status: 2, stdout: expect.stringContaining('"command"') as string });
  expect(refused.stderr).toContain("--yes");
  for (const typed of ["\r", "n\r", "\x04"]) {
    const terminal = runInTerminal(project, "trust", "s");
    expect(await terminal.waitFor("Use the server s? y / n: ")).toContain('"command"');
    terminal.type(typed);
    expect(await terminal.exited).toMatchObject({ exitCode: 5 });
  }
  const interrupted = runInTerminal(project, "trust", "s");
  await interrupted.waitFor("Use the server s?");
  interrupted.type("\x03");
  expect(await interrupted.exited).toMatchObject({ exitCode: 130 });
  expect((await runPiped(project, "trust")).stdout).toContain('"command"');

  const approving = runInTerminal(project, "trust", "s");
  await approving.waitFor("Use the server s?");
  approving.type("y\r");
  expect(await approving.exited).toMatchObject({ exitCode: 0 });
  expect((await runPiped(project, "trust")).stdout).toBe("No server needs your approval.\n");
});

it(
  "plugboard trust approves the definition that was shown, even if the file has another definition by then",
  { meta: { covers: ["A1"] } },
  async () => {
    const project = await setUpServer(scriptedLegacy());
    const terminal = runInTerminal(project, "trust", "s");
    await terminal.waitFor("Use the server s?");
    await project.define({ command: "evil" });
    terminal.type("y\r");
    await terminal.exited;
    expect((await runPiped(project, "trust")).stdout).toContain('"evil"');
  },
);

it(
  "plugboard trust warns that the definition would replace a server of the user",
  { meta: { covers: ["A6"] } },
  async () => {
    const project = await setUpServer(scriptedLegacy());
    await writeFile(project.env["PLUGBOARD_CONFIG_PATH"]!, JSON.stringify({ mcpServers: { s: { command: "mine" } } }));
    expect((await runPiped(project, "trust")).stdout).toContain("It would replace the user server of the same name");
  },
);

describe("plugboard trust --revoke", { meta: { covers: ["A1"] } }, () => {
  it("withdraws the approval", async () => {
    const project = await setUpServer(scriptedLegacy());
    await runPiped(project, "trust", "s", "--yes");
    const revoked = await runPiped(project, "trust", "s", "--revoke");
    expect(revoked).toEqual({
      status: 0,
      stdout: "Withdrew your approval of s. It does not start until you approve it again.\n",
      stderr: "",
    });
    expect((await runPiped(project, "call", "s:echo", "text=hi")).status).toBe(5);
  });

  it("says that there is nothing to withdraw", async () => {
    const project = await setUpServer(scriptedLegacy());
    const { status, stdout } = await runPiped(project, "trust", "s", "--revoke");
    expect({ status, stdout }).toEqual({ status: 0, stdout: "s is not approved, so there is nothing to withdraw.\n" });
    expect((await runPiped(project, "trust", "--all", "--revoke")).stdout).toMatch(/^You have approved no server/);
  });

  it("withdraws all approvals of the project with --all", async () => {
    const project = await setUpProject({ a: scriptedLegacy(), b: scriptedLegacy(), c: scriptedLegacy() });
    await runPiped(project, "trust", "a", "b", "--yes");
    const { stdout } = await runPiped(project, "trust", "--all", "--revoke");
    expect(stdout).toBe("Withdrew your approval of a and b. They do not start until you approve them again.\n");
  });
});

describe("plugboard trust with several servers", { meta: { covers: ["A1"] } }, () => {
  const three = () => setUpProject({ a: scriptedLegacy(), b: scriptedLegacy(), c: scriptedLegacy() });
  const untrusted = async (project: Awaited<ReturnType<typeof three>>) => {
    const list = JSON.parse((await runPiped(project, "list", "--json")).stdout) as { id: string; untrusted?: true }[];
    return list.filter((server) => server.untrusted).map(({ id }) => id);
  };

  it("approves only the servers that are named", async () => {
    const project = await three();
    const { status, stdout } = await runPipedProcess(project, "trust", "a", "c", "--yes");
    expect(status).toBe(0);
    expect(stdout).toContain("Approved a and c. If a definition changes, you will be asked again.");
    expect(await untrusted(project)).toEqual(["b"]);
  });

  it("approves all with --all --yes, and names the next step", async () => {
    const project = await three();
    expect((await runPiped(project, "trust", "--all", "--yes")).stdout).toMatch(
      /Approved a, b and c\..*plugboard test\n$/,
    );
    expect(await untrusted(project)).toEqual([]);
    expect((await runPiped(project, "trust", "--all", "--yes")).stdout).toBe("No server needs your approval.\n");
  });

  it("shows all definitions, and one answer approves all of them", async () => {
    const project = await three();
    const terminal = runInTerminal(project, "trust", "--all");
    const shown = await terminal.waitFor("Use these 3 servers? y = all, e = ask for each, n = none: ");
    expect(shown).toMatch(/a, defined by .*b, defined by .*c, defined by /s);
    terminal.type("y\r");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(await untrusted(project)).toEqual([]);
  });

  it("asks about each server on request, and fails if one is not approved", async () => {
    const project = await three();
    const terminal = runInTerminal(project, "trust", "--all");
    await terminal.waitFor("Use these 3 servers?");
    terminal.type("e\r");
    for (const [id, answer] of [
      ["a", "y"],
      ["b", "n"],
      ["c", "y"],
    ]) {
      await terminal.waitFor(`Use the server ${id}? y / n: `);
      terminal.type(`${answer}\r`);
    }
    await terminal.waitFor("Approved a and c.");
    await terminal.waitFor("b is not approved.");
    expect(await terminal.exited).toMatchObject({ exitCode: 5 });
    expect(await untrusted(project)).toEqual(["b"]);
  });

  it("approves no server if one of them is unknown", async () => {
    const project = await three();
    const { status, stderr } = await runPiped(project, "trust", "a", "other", "--yes");
    expect(status).toBe(2);
    expect(stderr).toContain('There is no server "other"');
    expect(await untrusted(project)).toEqual(["a", "b", "c"]);
  });
});

describe("plugboard trust", () => {
  it("shows what the servers would run, and which variables they would get", async () => {
    const web = { url: "https://example.com/mcp", headers: { Authorization: "Bearer ${WEB_TOKEN}" } };
    const files = { command: "npx", args: ["-y", "@scope/files", "."], roots: false };
    const project = await setUpProject({ files, web });
    const { stdout } = await runPiped(project, "trust");
    await expect(stdout.replaceAll(project.cwd, "/project")).toMatchFileSnapshot("../../golden/trust.txt");
  });

  it("prints the problems of the config, which may hide a server", async () => {
    const project = await setUpProject({ s: scriptedLegacy() });
    await writeFile(`${project.cwd}/.mcp.json`, "{");
    const { status, stdout, stderr } = await runPiped(project, "trust");
    expect({ status, stdout }).toEqual({ status: 0, stdout: "No server needs your approval.\n" });
    expect(stderr).toMatch(/^error: .*\.mcp\.json/);
  });

  it("knows the servers of --mcp-server and --config", async () => {
    const project = await setUpProject({});
    await writeFile(`${project.cwd}/more.json`, JSON.stringify({ mcpServers: { more: { command: "y" } } }));
    const given = ["--mcp-server", "given=node x", "--config", "more.json"];
    const { status, stdout } = await runPiped(project, "trust", "given", "more", ...given);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^given needs no approval, .*\nmore needs no approval, /);
  });

  it("says for each server why there is nothing to approve", async () => {
    const project = await setUpProject({ s: scriptedLegacy() }, { mcpServers: { mine: { command: "x" } } });
    await runPiped(project, "trust", "s", "--yes");
    const { status, stdout } = await runPiped(project, "trust", "s", "mine");
    expect(status).toBe(0);
    expect(stdout).toBe(
      "s is already approved. To withdraw your approval, run: plugboard trust s --revoke\n" +
        "mine needs no approval, because it is in your own config file. Only servers of a project do.\n",
    );
  });

  it.each([
    ["--yes without a server", ["--yes"], "--yes needs the id of a server, or --all"],
    ["--revoke without a server", ["--revoke"], "--revoke needs the id of a server, or --all"],
    ["a server and --all", ["s", "--all"], "--all can't be used together with a server"],
    ["--json without --yes", ["s", "--json"], "--json asks no questions. Add --yes"],
    ["--yes and --revoke", ["s", "--revoke", "--yes"], "can't be used together"],
    ["an invalid definition", ["bad", "--yes"], 'The definition of "bad" can\'t be used'],
  ])("says what is wrong: %s", async (_, args, words) => {
    const project = await setUpProject({ s: scriptedLegacy(), bad: { command: 7 } });
    const { status, stderr } = await runPiped(project, "trust", ...args);
    expect(status).toBe(2);
    expect(stderr).toContain(words);
  });

  it("prints JSON that matches its schema", async () => {
    const project = await setUpProject({ a: scriptedLegacy(), b: scriptedLegacy() });
    expect(await parseOutput("trust", (await runPiped(project, "trust", "--json")).stdout)).toMatchObject({
      pending: [{ id: "a" }, { id: "b" }],
      approved: [],
    });
    const approved = await runPiped(project, "trust", "a", "--yes", "--json");
    const expected = { pending: [{ id: "b" }], approved: ["a"], revoked: [], unchanged: [] };
    expect(await parseOutput("trust", approved.stdout)).toMatchObject(expected);
    const revoked = await runPiped(project, "trust", "a", "b", "--revoke", "--json");
    expect(await parseOutput("trust", revoked.stdout)).toMatchObject({
      revoked: ["a"],
      unchanged: [{ server: "b", reason: "not approved" }],
    });
  });
});
