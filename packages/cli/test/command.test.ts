/** Tests the commands as a script uses them: their output on stdout and stderr, and their exit status. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { runPiped, runPipedWithInput, puppetServer, setUp } from "./helpers/run-plugboard.ts";

const scripted = () => {
  const { command, args } = scriptedLegacy();
  return `${command} ${args.join(" ")}`;
};

describe("plugboard list", () => {
  it(
    "shows the servers of config files and flags, and starts no server",
    { meta: { covers: ["R2.64", "R2.89", "R3.24"] } },
    async () => {
      const setup = await setUp({ mcpServers: { a: { command: "no-such-command", args: ["--api-key", "canary"] } } });
      const ran = await runPiped(setup, "list", "--mcp-server", "b=https://example.com/mcp?key=canary");
      expect(ran.stdout).toMatch(/^a +stdio +user +yes +no-such-command --api-key \*\*\*$/m);
      expect(ran.stdout).toMatch(/^b +http +invocation +yes +https:\/\/example\.com\/mcp\?key=\*\*\*$/m);
      expect(ran).toMatchObject({ status: 0, stderr: "" });
    },
  );

  it("says that no server is configured", { meta: { covers: ["R2.115"] } }, async () => {
    expect(await runPiped(await setUp(), "list")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("No MCP servers") as string,
    });
  });

  it("prints the servers as JSON with --json", async () => {
    const { stdout } = await runPiped(await setUp(), "list", "--json", "--mcp-server", "b=node x.js");
    expect(JSON.parse(stdout)).toEqual([
      { id: "b", transport: "stdio", source: "invocation", enabled: true, target: "node x.js" },
    ]);
  });
});

describe("plugboard status", () => {
  it("starts no server without --connect", async () => {
    const { stdout } = await runPiped(await setUp({ mcpServers: { a: scriptedLegacy() } }), "status", "--json");
    expect(JSON.parse(stdout)).toMatchObject([{ id: "a", state: "idle", tools: 0 }]);
  });

  it(
    "connects the servers with --connect, and fails if a server can't be reached",
    {
      meta: {
        covers: ["R2.100", "R2.101", "R2.102", "R2.103", "R2.104", "R2.105", "R2.106", "R2.169", "R0.83", "R3.26"],
      },
    },
    async () => {
      const setup = await setUp({ mcpServers: { a: scriptedLegacy("--bad-tool"), b: { command: "no-such-command" } } });
      const { status, stdout } = await runPiped(setup, "status", "--connect");
      expect(stdout).toMatch(/^SERVER +TRANSPORT +SOURCE +ENABLED +STATE +TOOLS +PROTOCOL +PID$/m);
      const tools = JSON.parse((await runPiped(setup, "tools", "a", "--json")).stdout) as unknown[];
      expect(tools.length).toBeGreaterThan(1);
      expect(stdout).toMatch(new RegExp(`^a +stdio +user +yes +ready +${tools.length} +2025-11-25 +\\d+$`, "m"));
      expect(stdout).toMatch(/^b +stdio +user +yes +error +–/m);
      expect(stdout).toContain("tool #2 can't be used: it has no name");
      expect(stdout).toContain('the command "no-such-command" was not found');
      expect(status).toBe(3);
    },
  );
});

describe("plugboard status <server>", { meta: { covers: ["R2.112"] } }, () => {
  it(
    "shows the server's state, definition and tools",
    { meta: { covers: ["R2.112", "R2.114", "R2.170"] } },
    async () => {
      const entry = { ...scriptedLegacy(), env: { KEY: "s3cret" } };
      const setup = await setUp({ mcpServers: { a: entry, b: { command: "no-such-command" } } });
      const { status, stdout } = await runPiped(setup, "status", "a", "--connect");
      expect(status).toBe(0);
      expect(stdout).toMatch(/^a\n {2}transport: +stdio\n {2}source: +user\n {2}enabled: +yes\n {2}state: +ready\n/);
      expect(stdout).toMatch(/^ {2}last connected: +\d{4}-\d\d-\d\dT/m);
      expect(stdout).toMatch(/^Definition:\n│ \{/m);
      expect(stdout).toMatch(/^│ echo$/m);
      expect(stdout).not.toContain("s3cret");
      expect(stdout).not.toContain("no-such-command");
      const json = await runPiped(setup, "status", "a", "--connect", "--json");
      const detail = { id: "a", enabled: true, state: "ready", lastConnectedAt: expect.any(Number) as number };
      expect(JSON.parse(json.stdout)).toMatchObject(detail);
    },
  );

  it(
    "shows the last error, and fails with --connect",
    { meta: { covers: ["R0.61", "R2.113", "R2.170"] } },
    async () => {
      const setup = await setUp({ mcpServers: { b: { command: "no-such-command" } } });
      const { status, stdout } = await runPiped(setup, "status", "b", "--connect");
      expect(stdout).toMatch(/^ {2}last error: +SERVER_SPAWN_FAILED: .*"no-such-command" was not found/m);
      expect(stdout).toMatch(/^ {2}last connected: +–$/m);
      expect(status).toBe(3);
    },
  );

  it("starts no server without --connect, and rejects an unknown server", async () => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy() } });
    expect((await runPiped(setup, "status", "a")).stdout).toMatch(/^ {2}state: +idle$/m);
    const refused = await runPiped(setup, "status", "other");
    expect(refused).toMatchObject({ status: 2, stdout: "" });
    expect(refused.stderr).toContain("other");
  });
});

describe("plugboard tools", () => {
  it(
    "lists the tools of the ready servers, and reports the failed server on stderr",
    { meta: { covers: ["R0.79", "R3.63", "R3.66", "R3.72"] } },
    async () => {
      const setup = await setUp({ mcpServers: { a: scriptedLegacy(), b: { command: "no-such-command" } } });
      const { status, stdout, stderr } = await runPiped(setup, "tools");
      expect(stdout).toMatch(/^a:echo/m);
      expect(stderr).toContain("b: SERVER_SPAWN_FAILED");
      expect(status).toBe(0);
    },
  );

  it("shows the details of one tool", { meta: { covers: ["R3.65"] } }, async () => {
    const { stdout } = await runPiped(await setUp({ mcpServers: { a: scriptedLegacy() } }), "tools", "a:echo");
    expect(stdout).toContain("name for models: mcp__a__echo");
    expect(stdout).toContain("text  string, required");
  });
});

describe("plugboard call", () => {
  it("prints the result and exits with 1 when the tool reports a failure", async () => {
    const result = { isError: true, content: [{ type: "text", text: "no such note" }] };
    const setup = await setUp({ mcpServers: { a: puppetServer({ result }) } });
    expect(await runPiped(setup, "call", "a:go")).toEqual({ status: 1, stdout: "no such note\n", stderr: "" });
    expect(await runPiped(setup, "call", "a:go", "--json")).toMatchObject({ status: 1, stderr: "" });
  });

  it.each([
    ["a name=value word", ["a:echo", "text=hi there"]],
    ["--args", ["a:echo", "--args", '{"text":"hi there"}']],
    ["its name as models see it", ["mcp__a__echo", "text=hi there"]],
  ])("calls a tool with %s", { meta: { covers: ["R3.67"] } }, async (_, args) => {
    const ran = await runPiped(await setUp(), "call", ...args, "--mcp-server", `a=${scripted()}`);
    expect(ran).toEqual({ status: 0, stdout: "hi there\n", stderr: "" });
  });

  it("prints the whole result as JSON with --json", async () => {
    const { stdout } = await runPiped(
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

  it("cancels a question of the server, and says so, when there is no terminal", async () => {
    expect(await runPiped(await setUp(), "call", "a:ask", "--mcp-server", `a=${scripted()}`)).toEqual({
      status: 0,
      stdout: 'answer: {"action":"cancel"}\n',
      stderr: 'a:ask asked "Please give name". The question was cancelled because there is no terminal.\n',
    });
  });

  it.each([
    ["an unknown command", ["frobnicate"], 2, "frobnicate"],
    ["a missing tool", ["call"], 2, "missing argument"],
    ["an unknown server", ["call", "x:y"], 2, "SERVER_UNKNOWN"],
    ["a login at an unknown server", ["login", "x"], 2, "SERVER_UNKNOWN"],
    ["a logout at an unknown server", ["logout", "x"], 2, "SERVER_UNKNOWN"],
    ["an unknown tool", ["call", "a:nope"], 2, "TOOL_NOT_FOUND"],
    ["a word that is not name=value", ["call", "a:echo", "text"], 2, "not of the form name=value"],
    ["arguments that are not an object", ["call", "a:echo", "--args", "[1]"], 2, "INVALID_ARGUMENTS"],
    ["an invalid number", ["call", "a:progress", "steps=many"], 2, '"steps" must be a whole number'],
    ["a crash", ["call", "a:crash"], 3, "exit code 3"],
    ["an invalid --mcp-server", ["list", "--mcp-server", "oops"], 2, "id=<command or URL>"],
    ["a missing config file", ["list", "--config", "missing.json"], 2, "the file does not exist"],
  ])(
    "fails with an exit status and a message for: %s",
    { meta: { covers: ["R3.91"] } },
    async (_, args, status, words) => {
      const setup = await setUp({ mcpServers: { a: scriptedLegacy() } });
      const ran = await runPiped(setup, ...args);
      expect(ran).toMatchObject({ status, stdout: "", stderr: expect.stringContaining(words) as string });
    },
  );

  it("prints errors as JSON with --json", async () => {
    const { stderr } = await runPiped(await setUp(), "call", "x:y", "--json");
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: "SERVER_UNKNOWN", details: { server: "x", known: [] } },
    });
  });
});

it(
  "plugboard list warns about a mistake in the config with its location, and continues",
  { meta: { covers: ["R3.28"] } },
  async () => {
    const setup = await setUp('{\n  "mcpServers": {\n    "a": { "comand": "x", "command": "y" }\n  }\n}');
    const ran = await runPiped(setup, "list");
    expect(ran.stderr).toContain(':3:12: "a": unknown key "comand"; did you mean "command"?');
    expect(ran.stdout).toMatch(/^a +stdio/m);
  },
);

describe("plugboard list and status", () => {
  it("say where to add a server if none is configured", async () => {
    const setup = await setUp();
    const words = "No MCP servers configured. Add one with `plugboard add <id> <command or URL>`";
    for (const command of ["list", "status"]) expect((await runPiped(setup, command)).stdout).toContain(words);
  });

  it("mark a server whose definition is invalid", async () => {
    const setup = await setUp({ mcpServers: { a: { command: 7 } } });
    expect((await runPiped(setup, "list")).stdout).toMatch(/^a +– +user +invalid +–$/m);
    expect((await runPiped(setup, "status")).stdout).toMatch(/^a: SERVER_INVALID: /m);
  });

  it("show each line of a failed server's stderr", async () => {
    const crash = { command: process.execPath, args: ["-e", "console.error('one\\ntwo'); process.exit(1)"] };
    const { stdout } = await runPiped(await setUp({ mcpServers: { a: crash } }), "status", "--connect");
    expect(stdout).toMatch(/^a: SERVER_CRASHED: .*one\n    two/m);
  });
});

describe("plugboard tools <name>", () => {
  const setup = () => setUp({ mcpServers: { a: scriptedLegacy(), files: scriptedLegacy() } });

  it("finds a tool by its name as models see it", async () => {
    expect((await runPiped(await setup(), "tools", "mcp__a__echo")).stdout).toMatch(/^a:echo\n/);
  });

  it("prints one tool as one JSON object", async () => {
    const { stdout } = await runPiped(await setup(), "tools", "a:echo", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ server: "a", tool: "echo", name: "mcp__a__echo" });
  });

  it.each([
    ["a tool", "files:ech", 'Did you mean "files:echo"?'],
    ["a model-visible name", "mcp__a__ecko", 'Did you mean "a:echo"?'],
    ["a server", "file", "SERVER_UNKNOWN"],
  ])("reports a misspelled name of %s", async (_, word, words) => {
    const { status, stderr } = await runPiped(await setup(), "tools", word);
    expect(status).toBe(2);
    expect(stderr).toContain(words);
  });

  it("reports the number of tools that a rule hides", async () => {
    const config = { mcp: { servers: { a: scriptedLegacy() }, permissions: { deny: ["a:echo"] } } };
    const { stdout, stderr } = await runPiped(await setUp(config), "tools");
    expect(stdout).not.toContain("a:echo");
    expect(stderr).toBe("Hidden tools (denied by a rule, excluded by a definition, or switched off): 1\n");
    expect((await runPiped(await setUp(config), "tools", "a:echo")).stderr).toMatch(/^TOOL_DENIED/);
  });

  it("fails if no server is ready, and prints the errors as JSON lines", async () => {
    const config = { mcpServers: { a: { command: "no-such-command" }, b: { command: "nor-this" } } };
    const { status, stdout, stderr } = await runPiped(await setUp(config), "tools", "--json");
    expect({ status, stdout }).toEqual({ status: 3, stdout: "[]\n" });
    const lines = stderr.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { server: string }).server).sort()).toEqual(["a", "b"]);
  });

  it("shows the schemas of arguments and result, and the hints, with --schema", async () => {
    const tool = {
      name: "go",
      inputSchema: { type: "object" },
      outputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
    };
    const { stdout } = await runPiped(
      await setUp({ mcpServers: { a: puppetServer({ tools: [tool] }) } }),
      "tools",
      "a:go",
      "--schema",
    );
    expect(stdout).toMatch(/^Arguments: \{\n[^]*^Result: \{\n[^]*^Hints from the server \(unverified\): \{\n/m);
  });

  it("shortens a description without splitting a character", async () => {
    const tool = { name: "go", description: "😀".repeat(100), inputSchema: { type: "object" } };
    const { stdout } = await runPiped(await setUp({ mcpServers: { a: puppetServer({ tools: [tool] }) } }), "tools");
    expect(stdout).toMatch(/^a:go\(\) {2}(😀)+…\n$/u);
  });
});

describe("the arguments of plugboard call", () => {
  const config = () => ({ mcpServers: { a: scriptedLegacy() } });

  it.each([
    ["a word that is not name=value", ["text"], "USAGE"],
    ["invalid JSON", ["--args", "{"], "INVALID_ARGUMENTS"],
    ["a missing file", ["--args", "@missing.json"], "there is no such file"],
  ])("are checked before a server starts: %s", async (_, args, words) => {
    const setup = await setUp({ mcpServers: { a: { command: "no-such-command" } } });
    const { status, stderr } = await runPiped(setup, "call", "a:echo", ...args);
    expect(status).toBe(2);
    expect(stderr).toContain(words);
  });

  it("are read from a file with --args @file", async () => {
    const setup = await setUp(config());
    await writeFile(join(setup.cwd, "args.json"), '{"text":"from a file"}');
    expect(await runPiped(setup, "call", "a:echo", "--args", "@args.json")).toMatchObject({ stdout: "from a file\n" });
  });

  it("are read from stdin with --args -", async () => {
    const ran = await runPipedWithInput(
      await setUp(config()),
      '{"text":"from stdin"}',
      "call",
      "a:echo",
      "--args",
      "-",
    );
    expect(ran).toMatchObject({ stdout: "from stdin\n" });
  });

  it("are checked against the schema before they are sent", { meta: { covers: ["R0.69"] } }, async () => {
    const { status, stderr } = await runPiped(await setUp(config()), "call", "a:echo", "txt=1");
    expect(status).toBe(2);
    expect(stderr).toContain('INVALID_ARGUMENTS: Invalid arguments for "a:echo": "text" is required');
  });
});
