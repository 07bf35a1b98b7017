/**
 * Tests the forms in which people name a tool. If a form does not name exactly one tool, the error shows the right
 * form.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { filesystemStdio, memoryStdio } from "@plugboard/testkit/third-party-servers";
import { describe, expect, it } from "vitest";
import { puppetServer, runPiped, runPipedProcess, setUp } from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

async function setUpFiles(others: object = {}): Promise<Setup> {
  const setup = await setUp();
  const config = { mcpServers: { fs: filesystemStdio(setup.cwd), ...others } };
  await writeFile(setup.env["PLUGBOARD_CONFIG_PATH"]!, JSON.stringify(config));
  await writeFile(join(setup.cwd, "notes.md"), "first\nsecond\n");
  return setup;
}

describe("plugboard call", () => {
  it.each([
    ["server:tool", ["fs:read_text_file", "path=notes.md", "head=1"]],
    ["server.tool", ["fs.read_text_file", "path=notes.md", "head=1"]],
    ["server/tool", ["fs/read_text_file", "path=notes.md", "head=1"]],
    ["server and tool as two words", ["fs", "read_text_file", "path=notes.md", "head=1"]],
    ["the tool alone", ["read_text_file", "path=notes.md", "head=1"]],
    ["the name that models see", ["mcp__fs__read_text_file", "path=notes.md", "head=1"]],
    ["a call", ['fs.read_text_file(path: "notes.md", head: 1)']],
    ["a call with a colon", ["fs:read_text_file(path: 'notes.md', head: 1)"]],
    ["a call of the tool alone", ['read_text_file({"path": "notes.md"})', "head=1"]],
  ])("understands %s", async (_, words) => {
    expect(await runPiped(await setUpFiles(), "call", ...words)).toMatchObject({
      status: 0,
      stdout: "first\n",
      stderr: "",
    });
  });

  it("runs in a process of its own, with the real filesystem and memory servers", async () => {
    const setup = await setUpFiles({ mem: memoryStdio() });
    expect(await runPipedProcess(setup, "call", "fs.read_text_file", "path=notes.md", "--format", "raw")).toEqual({
      status: 0,
      stdout: "first\nsecond\n",
      stderr: "",
    });
    const found = await runPipedProcess(setup, "call", "search_nodes", "query=nobody", "--json");
    expect(JSON.parse(found.stdout)).toMatchObject({ structuredContent: { entities: [], relations: [] } });
  });

  it("starts only the named server", async () => {
    const setup = await setUpFiles({ broken: { command: "no-such-command" } });
    const ran = await runPiped(setup, "call", "fs.read_text_file", "path=notes.md");
    expect(ran).toMatchObject({ status: 0, stderr: "" });
  });

  it.each([
    ["a misspelled tool", ["fs:read_text_fil"], "TOOL_NOT_FOUND", 'Did you mean "fs:read_text_file"?'],
    ["a misspelled tool after a dot", ["fs.read_text_fil"], "TOOL_NOT_FOUND", 'Did you mean "fs:read_text_file"?'],
    ["a misspelled tool alone", ["raed_text_file"], "TOOL_NOT_FOUND", 'Did you mean "fs:read_text_file"?'],
    ["a tool that no server has", ["zebra"], "TOOL_NOT_FOUND", 'There is no tool "zebra".'],
    ["a misspelled server", ["fss:read_text_file"], "SERVER_UNKNOWN", 'Did you mean "fs"?'],
    ["a misspelled server before a dot", ["fss.read_text_file"], "SERVER_UNKNOWN", 'Did you mean "fs"?'],
    ["a misspelled server as a word", ["fss", "read_text_file"], "SERVER_UNKNOWN", 'Did you mean "fs"?'],
    ["a server alone", ["fs"], "USAGE", '"fs" is a server. Name one of its tools, such as fs:<tool>.'],
    ["a server with an argument", ["fs", "path=notes.md"], "USAGE", '"fs" is a server.'],
    ["a call that can't be read", ["fs.read_text_file(notes.md)"], "USAGE", "name each argument"],
    ["an argument twice", ['fs.read_text_file(path: "a", path: "b")'], "USAGE", '"path" is given twice'],
    ["a number that can't be sent", ["fs.read_text_file(head: 12345678901234567890)"], "USAGE", "too large to be sent"],
    [
      "a large number for an argument",
      ["fs:read_text_file", "path=a", "head=1e400"],
      "INVALID_ARGUMENTS",
      "1e400 is too large",
    ],
    ["an option instead of an argument", ["fs:read_text_file", "--path=x"], "USAGE", "without dashes: path=value."],
    ["a word that is no argument", ["fs:read_text_file", "notes.md"], "USAGE", "See `plugboard call --help`."],
  ])("rejects %s with the right form, and runs nothing", async (_, words, code, message) => {
    const { status, stdout, stderr } = await runPiped(await setUpFiles(), "call", ...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^${code}: `));
    expect(stderr).toContain(message);
  });

  it("rejects a tool name without a server if several servers have the tool, and lists these servers", async () => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy(), b: scriptedLegacy() } });
    const { status, stderr } = await runPiped(setup, "call", "echo", "text=x");
    expect(status).toBe(2);
    expect(stderr).toBe('USAGE: Several servers have a tool "echo". Name one of them: a:echo, b:echo.\n');
  });

  it("rejects a tool name without a server if a server that may have the tool can't be started", async () => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy(), broken: { command: "no-such-command" } } });
    const { status, stdout, stderr } = await runPiped(setup, "call", "echo", "text=x");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("Name the server: a:echo.");
    expect(stderr).toContain("broken could not be started");
  });

  it("reads a word with parentheses as the name of a tool, if there is one, and not as a tool with arguments", async () => {
    const tools = [
      { name: "go(x: 1)", inputSchema: { type: "object" } },
      { name: "go", inputSchema: { type: "object" } },
    ];
    const result = { content: [{ type: "text", text: "ran" }] };
    const setup = await setUp({
      mcp: { servers: { a: puppetServer({ tools, result }) }, permissions: { deny: ["a:go"] } },
    });
    expect(await runPiped(setup, "call", "a:go(x: 1)")).toMatchObject({ status: 0, stdout: "ran\n" });
  });

  it("says why a tool is not available, in whichever form it is named", async () => {
    const server = { ...scriptedLegacy(), tools: { exclude: ["echo"] } };
    const setup = await setUp({ mcp: { servers: { a: server }, permissions: { deny: ["a:hold"] } } });
    for (const form of ["a:echo", "a.echo"]) {
      const { status, stderr } = await runPiped(setup, "call", form, "text=x");
      expect({ status, stderr }).toEqual({
        status: 5,
        stderr:
          'TOOL_OFF: "a:echo" is not available: `tools.exclude` in the definition of its server excludes it. To use it, remove it from `tools.exclude`.\n',
      });
    }
    expect((await runPiped(setup, "call", "a/hold")).stderr).toContain("TOOL_DENIED");
  });
});
