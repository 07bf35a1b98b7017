/** Tests the completion scripts in real shells on a pseudo-terminal: servers, tools, names and values of arguments. */
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { command, programInTerminal, puppetServer, runPiped, setUp } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

const inputSchema = {
  type: "object",
  required: ["mode"],
  properties: { mode: { enum: ["fast", "slow"], description: "How to run" }, path: { type: "string" } },
};

/**
 * Makes a server whose tools are stored, and a `plugboard` on the PATH. Each start of the server is recorded in a file.
 */
async function setUpShell(): Promise<Setup> {
  const setup = await setUp();
  const { command: node, args } = puppetServer({ tools: [{ name: "launch", description: "Runs it", inputSchema }] });
  const starts = join(setup.cwd, "starts");
  const counted = { command: "sh", args: ["-c", 'echo started >> "$0"; exec "$@"', starts, node, ...args] };
  await writeFile(setup.env["PLUGBOARD_CONFIG_PATH"]!, JSON.stringify({ mcpServers: { everything: counted } }));
  await runPiped(setup, "tools");
  const bin = join(setup.cwd, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "plugboard"), `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`);
  await chmod(join(bin, "plugboard"), 0o755);
  return { cwd: setup.cwd, env: { ...setup.env, PATH: `${bin}:${setup.env["PATH"]}`, LC_ALL: "C.UTF-8" } };
}

interface ShellCase {
  readonly shell: string;
  readonly args: readonly string[];
  /** The lines that set up the shell. The prompt is `READY> `. */
  readonly start: string;
}

const CASES: readonly ShellCase[] = [
  {
    shell: "bash",
    args: ["--norc", "--noprofile", "-i"],
    start: "PS1='READY> '; bind 'set enable-bracketed-paste off'; source <(plugboard completion bash)\r",
  },
  {
    shell: "zsh",
    args: ["-f", "-i"],
    start: "PS1='READY> '; autoload -U compinit; compinit -u -D; source <(plugboard completion zsh)\r",
  },
  {
    shell: "fish",
    args: ["--no-config", "-i"],
    start: "function fish_prompt; echo -n 'READY> '; end; plugboard completion fish | source\r",
  },
];

describe.each(CASES)("the completion script in $shell", ({ shell, args, start }) => {
  it("completes a server, its tool, and the names and values of the tool's arguments, and starts no server", async () => {
    const setup = await setUpShell();
    const terminal = programInTerminal(setup, shell, args);
    terminal.type(start);
    await terminal.waitForView(/^READY>$/m, 15_000);
    const complete = async (text: string, line: string) => {
      terminal.type(`${text}\t`);
      await terminal.waitForView(`READY> ${line}`, 15_000);
    };
    await complete("plugboard call eve", "plugboard call everything:");
    await complete("la", "plugboard call everything:launch");
    await complete("mo", "plugboard call everything:launch mode=");
    await complete("f", "plugboard call everything:launch mode=fast");
    await complete("pa", "plugboard call everything:launch mode=fast path=");
    terminal.type("x\r");
    await terminal.waitFor("[]", 15_000);
    await terminal.waitForView(/^READY>$/m, 15_000);
    terminal.type("exit\r");
    await terminal.exited;
    // `tools` and the call have started the server once each, and no completion has.
    expect((await readFile(join(setup.cwd, "starts"), "utf8")).split("\n").filter(Boolean)).toHaveLength(2);
  });
});

describe("plugboard suggest", () => {
  const suggest = async (setup: Setup, ...words: string[]) => (await runPiped(setup, "suggest", "--", ...words)).stdout;

  it("suggests the arguments of a tool in every form that names it", async () => {
    const setup = await setUpShell();
    const names = "mode=\trequired: How to run\npath=\t\n";
    for (const word of ["everything:launch", "everything.launch", "launch"])
      expect(await suggest(setup, "call", word, "")).toBe(names);
    expect(await suggest(setup, "call", "everything:launch", "mode=")).toBe("mode=fast\t\nmode=slow\t\n");
    expect(await suggest(setup, "call", "everything:launch", "mode=slow", "")).toBe("path=\t\n");
    expect(await suggest(setup, "call", "everything:launch", "path=@b")).toBe("path=@bin/\t\n");
    expect(await suggest(setup, "call", "everything:la")).toBe("everything:launch\tRuns it\n");
    expect(await suggest(setup, "tools", "every")).toBe("everything\t" + (await targetOf(setup)) + "\n");
    expect(await suggest(setup, "call", "unknown:tool", "")).toBe("");
  });

  it("leaves out the tools that a rule denies or a definition excludes", async () => {
    const setup = await setUpShell();
    const file = setup.env["PLUGBOARD_CONFIG_PATH"]!;
    const config = JSON.parse(await readFile(file, "utf8")) as object;
    await writeFile(file, JSON.stringify({ ...config, permissions: { deny: ["everything:launch"] } }));
    expect(await suggest(setup, "call", "everything:")).toBe("");
  });
});

async function targetOf(setup: Setup): Promise<string> {
  const [server] = JSON.parse((await runPiped(setup, "list", "--json")).stdout) as [{ target: string }];
  return server.target.replaceAll(/\s+/g, " ");
}
