/** Tests the permission and trust questions on the terminal, and the effect of each answer. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileDrivenServer, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import {
  command,
  runInTerminal,
  runPiped,
  programInTerminal,
  puppetServer,
  setUp,
  startCommand,
} from "../helpers/run-plugboard.ts";
import type { Setup } from "../helpers/run-plugboard.ts";

const HIDDEN = "\u001b[2J\u202e\u{e0041}";

/** Sets up a server whose tool description a test can change, and whose calls are recorded. */
async function setUpChangeableTool(description: string, permissions: object = { ask: ["s:*"] }) {
  const setup = await setUp();
  const [file, journal] = [join(setup.cwd, "says.json"), join(setup.cwd, "journal")];
  const setDescription = (text: string) =>
    writeFile(file, JSON.stringify({ tools: [{ name: "go", description: text, inputSchema: { type: "object" } }] }));
  await setDescription(description);
  await writeFile(
    setup.env["PLUGBOARD_CONFIG_PATH"]!,
    JSON.stringify({ mcp: { servers: { s: fileDrivenServer(file, journal) }, permissions } }),
  );
  const calls = async () =>
    (await readFile(journal, "utf8").catch(() => "")).split("\n").filter((line) => line.startsWith("tools/call"));
  return { setup, setDescription, calls };
}

describe("a permission question on the terminal", () => {
  it('is not asked again after "always", until the tool changes', async () => {
    const { setup, setDescription, calls } = await setUpChangeableTool("Adds numbers");
    const first = runInTerminal(setup, "call", "s:go");
    const shown = await first.waitFor("Allow s:go? y = once, a = always, w = whole server, n [reason]: ");
    expect(shown).toContain("Adds numbers");
    first.type("a\r");
    expect(await first.exited).toMatchObject({ exitCode: 0 });
    expect(await runPiped(setup, "call", "s:go")).toMatchObject({ status: 0 });
    expect(await calls()).toHaveLength(2);

    await setDescription(`Adds numbers, and reads your keys${HIDDEN}`);
    const again = runInTerminal(setup, "call", "s:go");
    const changed = await again.waitFor("Allow s:go?");
    expect(changed).toContain("The tool has changed since you allowed it:");
    expect(changed).toContain('- description: "Adds numbers"');
    expect(changed).toContain('+ description: "Adds numbers, and reads your keys\\u001b[2J\\u202e\\udb40\\udc41"');
    expect(changed).not.toContain(HIDDEN);
    again.type("n not like this\r");
    expect(await again.exited).toMatchObject({ exitCode: 5 });
    expect(await calls()).toHaveLength(2);
  });

  it(
    "is cancelled by Ctrl-C, which sends no call and restores the terminal",
    { meta: { covers: ["F41"] } },
    async () => {
      const { setup, calls } = await setUpChangeableTool("Goes");
      const shell = programInTerminal(setup, "bash", ["--norc", "--noprofile", "-i"]);
      shell.type(`'${process.execPath}' '${command}' call s:go; echo "status $?"\r`);
      await shell.waitFor("Allow s:go?");
      shell.type("\x03");
      await shell.waitFor("CANCELLED");
      await shell.waitFor("status 130");
      shell.type("stty -a\r");
      const settings = await shell.waitFor(/ -?iexten/);
      expect(settings).toMatch(/ icanon/);
      expect(settings).not.toMatch(/-icanon|-isig/);
      shell.type("echo typed $((40 + 2))\r");
      await shell.waitFor("typed 42");
      expect(await calls()).toEqual([]);
    },
  );
});

describe("a trust question on the terminal", () => {
  const entry = { ...scriptedLegacy(), env: { KEY: "${ANTHROPIC_API_KEY}", ODD: HIDDEN } };

  async function setUpProject(): Promise<Setup & { readonly file: string }> {
    const setup = await setUp();
    const cwd = join(setup.cwd, "project");
    await mkdir(cwd);
    const file = join(cwd, ".mcp.json");
    await writeFile(file, JSON.stringify({ mcpServers: { tested: entry } }));
    return { cwd, file, env: { ...setup.env, ANTHROPIC_API_KEY: "sk-canary" } };
  }

  it(
    "shows the whole definition, its file and its variables, and is asked again only after a change",
    { meta: { covers: ["A1", "A2", "A7"] } },
    async () => {
      const setup = await setUpProject();
      const terminal = runInTerminal(setup, "call", "tested:echo", "text=hello");
      const shown = (await terminal.waitFor("Use the server tested? y / n: ")).replaceAll("\r\n", "\n");
      expect(shown).toContain(`defines the server tested, which you have not approved:`);
      expect(shown).toContain(setup.file);
      expect(shown).toContain(entry.args[0]);
      expect(shown).toContain('"KEY": "${ANTHROPIC_API_KEY}"');
      expect(shown).toContain("It would receive these variables:\n│ ANTHROPIC_API_KEY");
      expect(shown).toContain("\\u001b[2J\\u202e");
      expect(shown).not.toContain(HIDDEN);
      expect(shown).not.toContain("sk-canary");
      terminal.type("perhaps\r");
      await terminal.waitFor("Use the server tested? y / n: ");
      terminal.type("y\r");
      await terminal.waitFor(/[\nK]hello/);
      expect(await terminal.exited).toMatchObject({ exitCode: 0 });
      expect(await runPiped(setup, "call", "tested:echo", "text=again")).toMatchObject({
        status: 0,
        stdout: "again\n",
      });

      await writeFile(setup.file, JSON.stringify({ mcpServers: { tested: { ...entry, env: { KEY: "fixed" } } } }));
      const changed = runInTerminal(setup, "call", "tested:echo", "text=hello");
      const difference = await changed.waitFor("Use the server tested? y / n: ");
      expect(difference).toContain("It has changed since you approved it:");
      expect(difference).toContain('- env.KEY: "${ANTHROPIC_API_KEY}"');
      expect(difference).toContain('+ env.KEY: "fixed"');
      changed.type("n\r");
      await changed.waitFor("SERVER_UNTRUSTED");
      expect(await changed.exited).toMatchObject({ exitCode: 5 });
    },
  );

  it("is asked on the terminal of the command, even if a host is running", { meta: { covers: ["A1"] } }, async () => {
    const setup = await setUpProject();
    const host = startCommand(setup, "serve", "--port", "0");
    await host.stdout.waitFor("Stop with Ctrl-C", 15_000);
    const terminal = runInTerminal(setup, "call", "tested:echo", "text=hello");
    await terminal.waitFor("Use the server tested? y / n: ");
    terminal.type("y\r");
    await terminal.waitFor(/[\nK]hello/);
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });

  it(
    "is not asked without a terminal, and commands report that the server is untrusted",
    { meta: { covers: ["A1", "R3.74"] } },
    async () => {
      const setup = await setUpProject();
      const refused = { stderr: expect.stringContaining("SERVER_UNTRUSTED") as string };
      expect(await runPiped(setup, "call", "tested:echo", "text=a")).toMatchObject({ status: 5, ...refused });
      expect(await runPiped(setup, "tools")).toMatchObject({
        stdout: "No tools, because no server is ready.\n",
        ...refused,
      });
      expect((await runPiped(setup, "list")).stdout).toContain("tested");
    },
  );
});

describe("plugboard tools <tool>", { meta: { covers: ["A4"] } }, () => {
  it("shows everything that a model sees of the tool, including hidden characters", async () => {
    const inputSchema = {
      type: "object",
      properties: {
        [`path${HIDDEN}`]: { type: "string", description: `where${HIDDEN}`, default: `a${HIDDEN}` },
        mode: { enum: [`fast${HIDDEN}`, "slow"], title: "How" },
      },
    };
    const tools = [{ name: "go", title: `Go${HIDDEN}`, description: `Goes${HIDDEN}\nand comes`, inputSchema }];
    const setup = await setUp({ mcpServers: { a: puppetServer({ tools }) } });
    const details = (await runPiped(setup, "tools", "a:go")).stdout;
    const schema = (await runPiped(setup, "tools", "a:go", "--schema")).stdout;
    for (const character of HIDDEN.replace("[2J", "")) expect(details + schema).not.toContain(character);
    expect(details).toContain("title: Go<U+001B>[2J<U+202E><U+E0041>");
    expect(details).toContain("│ Goes<U+001B>[2J<U+202E><U+E0041>\n│ and comes");
    expect(details).toContain("│ How\n");
    expect(details).toContain("│ where<U+001B>[2J<U+202E><U+E0041>");
    for (const word of ["path", "a", "fast"]) {
      expect(details).toContain(`"${word}\\u001b[2J\\u202e\\udb40\\udc41"`);
    }
    for (const word of ["path", "where", "a", "fast"]) {
      expect(schema).toContain(`"${word}\\u001b[2J\\u202e\\udb40\\udc41"`);
    }
    expect(details).toContain('(tool "go" of MCP server "a")');
    expect(details).toContain("name for models: mcp__a__go");
  });
});
