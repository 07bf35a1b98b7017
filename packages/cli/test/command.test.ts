/** The command as a script uses it: what it prints, where, and its exit status. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { piped, setUp } from "./plugboard.ts";

const scripted = () => {
  const { command, args } = scriptedLegacy();
  return `${command} ${args.join(" ")}`;
};

describe("list", () => {
  it("shows what is configured, from files and flags, and starts nothing", async () => {
    const setup = await setUp({ mcpServers: { a: { command: "no-such-command", args: ["--api-key", "canary"] } } });
    const ran = await piped(setup, "list", "--mcp-server", "b=https://example.com/mcp?key=canary");
    expect(ran.stdout).toMatch(/^a +stdio +user +yes +no-such-command --api-key \*\*\*$/m);
    expect(ran.stdout).toMatch(/^b +http +invocation +yes +https:\/\/example\.com\/mcp\?key=\*\*\*$/m);
    expect(ran).toMatchObject({ status: 0, stderr: "" });
  });

  it("says so when nothing is configured", async () => {
    expect(await piped(await setUp(), "list")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("No MCP servers") as string,
    });
  });

  it("prints JSON", async () => {
    const { stdout } = await piped(await setUp(), "list", "--json", "--mcp-server", "b=node x.js");
    expect(JSON.parse(stdout)).toEqual([
      { id: "b", transport: "stdio", source: "invocation", enabled: true, target: "node x.js" },
    ]);
  });
});

describe("status", () => {
  it("starts nothing by itself", async () => {
    const { stdout } = await piped(await setUp({ mcpServers: { a: scriptedLegacy() } }), "status", "--json");
    expect(JSON.parse(stdout)).toMatchObject([{ id: "a", state: "idle", tools: 0 }]);
  });

  it("connects when told to, and fails if one can't be reached", async () => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy("--bad-tool"), b: { command: "no-such-command" } } });
    const { status, stdout } = await piped(setup, "status", "--connect");
    expect(stdout).toMatch(/^a +stdio +user +ready +\d+ +legacy \(2025-11-25\) +\d+$/m);
    expect(stdout).toMatch(/^b +stdio +user +error +0/m);
    expect(stdout).toContain("tool #2 left out: it has no name");
    expect(stdout).toContain('the command "no-such-command" was not found');
    expect(status).toBe(3);
  });
});

describe("tools", () => {
  it("lists what the good servers offer and names the bad one on stderr", async () => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy(), b: { command: "no-such-command" } } });
    const { status, stdout, stderr } = await piped(setup, "tools");
    expect(stdout).toMatch(/^a:echo/m);
    expect(stderr).toContain("b: SERVER_SPAWN_FAILED");
    expect(status).toBe(0);
  });

  it("shows everything about one tool", async () => {
    const { stdout } = await piped(await setUp({ mcpServers: { a: scriptedLegacy() } }), "tools", "a:echo");
    expect(stdout).toContain("name for models: mcp__a__echo");
    expect(stdout).toContain('"required": [');
  });
});

describe("call", () => {
  it.each([
    ["a pair", ["a:echo", "text=hi there"]],
    ["JSON", ["a:echo", "--args", '{"text":"hi there"}']],
    ["the model-visible name", ["mcp__a__echo", "text=hi there"]],
  ])("takes arguments as %s", async (_, args) => {
    const ran = await piped(await setUp(), "call", ...args, "--mcp-server", `a=${scripted()}`);
    expect(ran).toEqual({ status: 0, stdout: "hi there\n", stderr: "" });
  });

  it("prints the whole result as JSON", async () => {
    const { stdout } = await piped(
      await setUp(),
      "call",
      "a:echo",
      "text=hi",
      "--json",
      "--mcp-server",
      `a=${scripted()}`,
    );
    expect(JSON.parse(stdout)).toEqual({ content: [{ type: "text", text: "hi" }] });
  });

  it("answers `cancel` to a question where nobody is at a terminal", async () => {
    const { stdout } = await piped(await setUp(), "call", "a:ask", "--mcp-server", `a=${scripted()}`);
    expect(stdout).toBe('answer: {"action":"cancel"}\n');
  });

  it.each([
    ["an unknown command", ["frobnicate"], 2, "frobnicate"],
    ["a missing tool", ["call"], 2, "missing required argument"],
    ["an unknown server", ["call", "x:y"], 2, "SERVER_UNKNOWN"],
    ["an unknown tool", ["call", "a:nope"], 2, "TOOL_NOT_FOUND"],
    ["a word that is no pair", ["call", "a:echo", "text"], 2, "not of the form name=value"],
    ["arguments that are no object", ["call", "a:echo", "--args", "[1]"], 2, "INVALID_ARGUMENTS"],
    ["a number that is none", ["call", "a:progress", "steps=many"], 2, '"steps" must be integer'],
    ["a crash", ["call", "a:crash"], 3, "exit code 3"],
    ["a flag that is no server", ["list", "--mcp-server", "oops"], 2, "id=<command or URL>"],
    ["a config file that is not there", ["list", "--config", "missing.json"], 2, "there is no such file"],
  ])("fails on %s with a status and a remedy", async (_, args, status, words) => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy() } });
    const ran = await piped(setup, ...args);
    expect(ran).toMatchObject({ status, stdout: "", stderr: expect.stringContaining(words) as string });
  });

  it("prints errors as JSON when asked to", async () => {
    const { stderr } = await piped(await setUp(), "call", "x:y", "--json");
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "SERVER_UNKNOWN", details: { server: "x", known: [] } },
    });
  });
});

it("warns of a mistake in the config with its place, and goes on", async () => {
  const setup = await setUp(
    '{\n  "mcpServers": {\n    "a": { "comand": "x", "command": "y" }\n  }\n}' as unknown as object,
  );
  const ran = await piped(setup, "list");
  expect(ran.stderr).toContain(':3:12: "a": "comand" is not known; did you mean "command"?');
  expect(ran.stdout).toMatch(/^a +stdio/m);
});
