/** Tests answers and approvals that can't be stored: the command reports it and never claims success. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { runInTerminal, runPiped, setUp } from "./helpers/run-plugboard.ts";

const meta = { covers: ["F45"] };

/** Puts folders in place of the temporary files, because even root can't overwrite a folder with a file. */
async function setUpProject() {
  const { cwd: home, env } = await setUp();
  const cwd = join(home, "project");
  await mkdir(cwd);
  await writeFile(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { s: scriptedLegacy() } }));
  for (const draft of [".trust.json.new", ".decisions.json.new"]) {
    await mkdir(join(env["XDG_STATE_HOME"]!, "plugboard", draft), { recursive: true });
  }
  return { cwd, env };
}

describe("a state folder that can't be written", { meta }, () => {
  it("makes `plugboard trust` fail with the reason", async () => {
    const ran = await runPiped(await setUpProject(), "trust", "s", "--yes");
    expect(ran.status).toBe(3);
    expect(ran.stderr).toMatch(/^STORE_UNWRITABLE: .*trust\.json can't be written.*try again/m);
    expect(ran.stdout).not.toContain("Approved");
  });

  it('lets an "always" permission apply to its call, with a warning that it was not stored', async () => {
    const { cwd, env } = await setUpProject();
    const config = { mcp: { servers: { own: scriptedLegacy() }, permissions: { ask: ["own:*"] } } };
    await writeFile(env["PLUGBOARD_CONFIG_PATH"]!, JSON.stringify(config));
    const terminal = runInTerminal({ cwd, env }, "call", "own:echo", "text=hello");
    await terminal.waitFor("a = always, w = whole server, n [reason]: ");
    terminal.type("a\r");
    await terminal.waitFor(
      "Your answer applies now but could not be stored, so you will be asked again. STORE_UNWRITABLE",
    );
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(terminal.output()).toMatch(/[\nK]hello/);
  });

  it("lets an approval apply to its call, with a warning that it was not stored", async () => {
    const terminal = runInTerminal(await setUpProject(), "call", "s:echo", "text=hello");
    await terminal.waitFor("Use the server s? y / n: ");
    terminal.type("y\r");
    await terminal.waitFor("The change applies now but could not be stored. STORE_UNWRITABLE");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(terminal.output()).toMatch(/[\nK]hello/);
  });
});
