/** Tests `plugboard trust`. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { expect, it } from "vitest";
import { runInTerminal, runPiped, setUp } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

async function setUpProject(entry: object): Promise<Setup & { define(entry: object): Promise<void> }> {
  const { cwd: home, env } = await setUp();
  const cwd = join(home, "project");
  await mkdir(cwd);
  const define = (definition: object) =>
    writeFile(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { s: definition } }));
  await define(entry);
  return { cwd, env, define };
}

it(
  "plugboard trust shows the whole definition and its variables, and the approval applies until the definition changes",
  { meta: { covers: ["A1", "A2"] } },
  async () => {
    const entry = { ...scriptedLegacy(), env: { KEY: "${SECRET_KEY:-none}" } };
    const project = await setUpProject(entry);
    const refused = await runPiped(project, "call", "s:echo", "text=hi");
    expect(refused).toMatchObject({ status: 5, stdout: "" });
    expect(refused.stderr).toContain("SERVER_UNTRUSTED");

    const { stdout } = await runPiped(project, "trust");
    expect(stdout).toContain('"KEY": "${SECRET_KEY:-none}"');
    expect(stdout).toContain("It would receive these variables:\n│ SECRET_KEY\n");
    expect(stdout).toContain("It may use the folder you run it in, regardless of its arguments");
    expect(stdout).toContain("To approve one of them, run: plugboard trust <server>\n");
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
  const project = await setUpProject(scriptedLegacy());
  const refused = await runPiped(project, "trust", "s");
  expect(refused).toMatchObject({ status: 2, stdout: expect.stringContaining('"command"') as string });
  expect(refused.stderr).toContain("--yes");
  for (const typed of ["\r", "n\r", "\x04"]) {
    const terminal = runInTerminal(project, "trust", "s");
    expect(await terminal.waitFor("Use the server s? y / N: ")).toContain('"command"');
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
  "plugboard trust approves the definition that was shown, not one that replaced it while the question was open",
  { meta: { covers: ["A1"] } },
  async () => {
    const project = await setUpProject(scriptedLegacy());
    const terminal = runInTerminal(project, "trust", "s");
    await terminal.waitFor("Use the server s?");
    await project.define({ command: "evil" });
    terminal.type("y\r");
    await terminal.exited;
    expect((await runPiped(project, "trust")).stdout).toContain('"evil"');
  },
);

it("plugboard trust --revoke withdraws the approval", { meta: { covers: ["A1"] } }, async () => {
  const project = await setUpProject(scriptedLegacy());
  await runPiped(project, "trust", "s", "--yes");
  expect(await runPiped(project, "trust", "s", "--revoke")).toMatchObject({ status: 0 });
  expect((await runPiped(project, "call", "s:echo", "text=hi")).status).toBe(5);
});

it("plugboard trust fails for a server that needs no approval", async () => {
  const project = await setUpProject(scriptedLegacy());
  const { status, stderr } = await runPiped(project, "trust", "other");
  expect(status).toBe(2);
  expect(stderr).toContain('definition of "other" that needs approval');
});

it(
  "plugboard trust warns that the definition would replace a server of the user",
  { meta: { covers: ["A6"] } },
  async () => {
    const project = await setUpProject(scriptedLegacy());
    await writeFile(project.env["PLUGBOARD_CONFIG_PATH"]!, JSON.stringify({ mcpServers: { s: { command: "mine" } } }));
    expect((await runPiped(project, "trust")).stdout).toContain("It would replace the user server of the same name");
  },
);
