/** Tests `plugboard add-json`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { setUpProject } from "../../helpers/project.ts";
import { runPiped, runPipedProcess, runPipedWithInput } from "../../helpers/run-plugboard.ts";

describe("plugboard add-json", () => {
  it.each<[string, object, object]>([
    ["an entry", { command: "npx", args: ["-y", "x"] }, { command: "npx", args: ["-y", "x"] }],
    [
      "the spelling of another client",
      { type: "streamable-http", serverUrl: "https://x.example", timeout: 5000, disabled: true },
      { transport: "http", url: "https://x.example", request_timeout_ms: 5000, enabled: false },
    ],
    ["a config with one server", { mcpServers: { other: { command: "npx" } } }, { command: "npx" }],
    ["a config in an mcp section", { version: 1, mcp: { servers: { o: { command: "npx" } } } }, { command: "npx" }],
    ["a named entry", { other: { command: "npx" } }, { command: "npx" }],
    [
      "short OAuth",
      { url: "https://x.example", oauth: { clientId: "a" } },
      { url: "https://x.example", auth: { type: "oauth", client_id: "a" } },
    ],
  ])("writes Plugboard's spelling of %s", async (_, json, entry) => {
    const project = await setUpProject();
    expect(await runPiped(project, "add-json", "s", JSON.stringify(json))).toMatchObject({ status: 0, stderr: "" });
    expect(await project.servers("project")).toEqual({ s: entry });
  });

  it("reads the JSON from a file or from stdin", async () => {
    const project = await setUpProject();
    await writeFile(join(project.cwd, "entry.json"), '{ "command": "npx" /* program */ }');
    await runPiped(project, "add-json", "file", "@entry.json");
    const piped = await runPipedWithInput(
      project,
      '{"command":"uvx"}',
      "add-json",
      "stdin",
      "-",
      "--scope",
      "local",
      "--json",
    );
    expect(await parseOutput("add", piped.stdout)).toMatchObject({ id: "stdin", scope: "local", target: "uvx" });
    expect(await project.servers("project")).toEqual({ file: { command: "npx" } });
    expect(await project.servers("local")).toEqual({ stdin: { command: "uvx" } });
  });

  it("warns about keys that it leaves out, and suggests the right keys", async () => {
    const project = await setUpProject();
    const { stderr } = await runPipedProcess(project, "add-json", "s", '{"command": "npx", "arg": ["hunter2"]}');
    expect(stderr).toBe('warning: unknown key "arg"; did you mean "args"? (it was left out)\n');
    expect(await project.servers("project")).toEqual({ s: { command: "npx" } });
  });

  it.each([
    ["broken JSON", '{"command": }', "the JSON is invalid at line 1, column 13"],
    ["no JSON", "", "the JSON is empty"],
    ["a missing file", "@gone.json", "the entry @gone.json: there is no such file"],
    ["a list", "[]", "the JSON must be an object"],
    ["two servers", '{"a": {"command": "x"}, "b": {"command": "y"}}', "the JSON has 2 servers"],
    ["a key twice", '{"command": "x", "command": "y"}', 'the key "command" occurs twice'],
    ["no command", "{}", 'it has neither a "command" nor a "url"'],
    ["only a switch", '{"enabled": false}', 'it has neither a "command" nor a "url"'],
    ["a wrong value", '{"command": "x", "args": 7}', '"args" must be an array'],
    ["a program for a secret", '{"command": "x", "env": {"A": {"$cmd": ["y"]}}}', "$cmd"],
  ])("rejects %s, and changes nothing", async (_, json, message) => {
    const project = await setUpProject();
    const { status, stderr } = await runPiped(project, "add-json", "s", json);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    await expect(project.read("project")).rejects.toThrow("ENOENT");
  });
});
