/** Tests shell completion: the suggestions, and the script in a real bash. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { completeWords } from "#command-line/complete-words.js";
import { COMMANDS } from "#specs/commands.js";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { runInShell, runPiped, setUp } from "../../helpers/run-plugboard.ts";

const values = (...words: string[]) => completeWords(words, COMMANDS).suggestions.map(({ value }) => value);

describe("completeWords", () => {
  it.each([
    [["lis"], ["list"]],
    [["mcp", "lis"], ["list"]],
    [
      ["auth", ""],
      ["list", "store"],
    ],
    [["auth", "store", "k"], ["keyring"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish", "powershell"],
    ],
    [
      ["import", "c"],
      ["claude-desktop", "claude-code", "cursor", "codex"],
    ],
    [
      ["export", "g"],
      ["gemini", "goose"],
    ],
    [["call", "--ou"], ["--output"]],
    [["sugg"], []],
    [["--json", "lis"], ["list"]],
    [["--js"], ["--json"]],
    [["--config", "x.json", "mcp", "auth", "st"], ["store"]],
    [["help", "auth", "st"], ["store"]],
  ])("suggests for %j: %j", (words, expected) => {
    expect(values(...words)).toEqual(expected);
  });

  it.each([
    [["status", ""], "server"],
    [["call", "fi"], "tool"],
    [["list", "--config", ""], "file"],
    [["import", "./"], "file"],
    [["call", "--output", "x", ""], "tool"],
    [["call", "files:read", ""], "toolArgument"],
    [["tools", ""], "serverOrTool"],
    [["rm", ""], "server"],
    [["--json", "status", ""], "server"],
    [["--config", "x.json", "mcp", "rm", ""], "server"],
    [["--config", ""], "file"],
  ])("asks the caller to look up the values for %j: %s", (words, lookUp) => {
    expect(completeWords(words, COMMANDS)).toMatchObject({ lookUp });
  });
});

describe("plugboard suggest", () => {
  it("suggests servers, known tools and files", async () => {
    const setup = await setUp({ mcpServers: { files: { command: "x" }, web: { url: "https://example.com/mcp" } } });
    await mkdir(join(setup.cwd, "folder"));
    await writeFile(join(setup.cwd, "folder", "a.json"), "{}");
    expect((await runPiped(setup, "suggest", "--", "status", "")).stdout).toBe(
      "files\tx\nweb\thttps://example.com/mcp\n",
    );
    expect((await runPiped(setup, "suggest", "--", "call", "f")).stdout).toBe("files:\tx\n");
    expect((await runPiped(setup, "suggest", "--", "list", "--config", "fold")).stdout).toBe("folder/\t\n");
    expect((await runPiped(setup, "suggest", "--", "list", "--config", "folder/")).stdout).toBe("folder/a.json\t\n");
    await writeFile(join(setup.cwd, "folder", "b\tx\u001b[2J"), "");
    expect((await runPiped(setup, "suggest", "--", "list", "--config", "folder/")).stdout).toBe("folder/a.json\t\n");
    await parseOutput("suggest", (await runPiped(setup, "suggest", "--json", "--", "st")).stdout);
  });
});

describe("plugboard completion", () => {
  it("prints a script that completes in bash", async () => {
    const setup = await setUp({ mcpServers: { files: { command: "x" } } });
    const complete = (line: string) =>
      `COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; _plugboard; echo "\${COMPREPLY[*]}"`;
    // Bash accepts `compopt` only during a completion.
    const compopt = "compopt() { :; }";
    const script = `source <(plugboard completion bash); ${compopt}; ${complete("plugboard logi")}; ${complete("plugboard call fi")}`;
    expect(await runInShell(setup, script)).toMatchObject({ stdout: "login\nfiles:\n", stderr: "" });
  });

  it("prints a script that escapes values in bash, so that completing a hostile name runs nothing", async () => {
    const setup = await setUp();
    await writeFile(join(setup.cwd, "a$(touch pwned);b c"), "");
    const line = "plugboard list --config a";
    const script = `source <(plugboard completion bash); COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; _plugboard; eval "echo \${COMPREPLY[0]}"`;
    expect(await runInShell(setup, script)).toMatchObject({ stdout: "a$(touch pwned);b c\n", stderr: "" });
    expect(await readdir(setup.cwd)).not.toContain("pwned");
  });

  it.each(["bash", "zsh", "fish", "powershell"])("prints a script for %s", async (shell) => {
    const setup = await setUp();
    expect((await runPiped(setup, "completion", shell)).stdout).toContain("plugboard suggest");
    await parseOutput("completion", (await runPiped(setup, "completion", shell, "--json")).stdout);
  });
});
