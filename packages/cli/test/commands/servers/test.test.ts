/** Tests `plugboard test`: the steps with a working server, and what the command says about a broken server. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { everythingStdio, scriptedLegacy, startEverythingHttp } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { setUpProject } from "../../helpers/project-setup.ts";
import { runPiped, runPipedProcess, setUp, startCommand } from "../../helpers/run-plugboard.ts";

async function startHttp(status: number, headers: { [name: string]: string } = {}): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status, headers).end("<html>"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe("plugboard test", () => {
  it(
    "connects the server, lists its tools, and shows how long each step took",
    { meta: { covers: ["R2.69"] } },
    async () => {
      const setup = await setUp({ mcpServers: { everything: everythingStdio() } });
      const { status, stdout, stderr } = await runPipedProcess(setup, "test", "everything");
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      await expect(stdout.replaceAll(/ *\d+ ms/g, " … ms")).toMatchFileSnapshot("../../golden/test.txt");
    },
  );

  it("tests a server at a URL", async () => {
    const server = await startEverythingHttp();
    onTestFinished(() => server.close());
    const { status, stdout } = await runPiped(await setUp({ mcpServers: { web: { url: server.url } } }), "test", "web");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^✓ web\n +connect +\d+ ms .*protocol/);
  });

  it(
    "tests all enabled servers if no id is given, and prints each as soon as it is done",
    { meta: { covers: ["R2.86"] } },
    async () => {
      const hung = { ...scriptedLegacy("--never-start"), startup_timeout_ms: 60_000 };
      const off = { command: "no-such-command", enabled: false };
      const setup = await setUp({ mcpServers: { hung, good: scriptedLegacy(), off } });
      const { child, stdout, exited } = startCommand(setup, "test");
      await stdout.waitFor(/✓ good\n.*\n +list tools.*\n/, 15_000);
      expect(stdout.text).not.toMatch(/hung|off/);
      child.kill("SIGINT");
      expect(await exited).toBe(130);
    },
  );

  it("prints JSON that matches its schema, and fails with the status of the error", async () => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy("--bad-tool"), b: { command: "no-such-command" } } });
    const { status, stdout } = await runPiped(setup, "test", "--json");
    expect(status).toBe(3);
    expect(await parseOutput("test", stdout)).toMatchObject({
      ok: false,
      servers: [
        { id: "a", ok: true, steps: [{ step: "connect", ok: true }, { step: "list tools" }], droppedTools: [{}] },
        { id: "b", ok: false, steps: [{ step: "connect", ok: false }], error: { code: "SERVER_SPAWN_FAILED" } },
      ],
    });
  });

  it.each([
    [
      "a misspelled command",
      { command: "nodde" },
      3,
      /✗ a\n.*SERVER_SPAWN_FAILED\n.*not found in PATH.* Did you mean "node"\?/,
    ],
    [
      "a server that exits at once",
      { command: "node", args: ["-e", "console.error('the key is missing'); process.exit(3)"] },
      3,
      /exit code 3.*Run its command in a terminal to see why: node -e.*\n +Its last output on stderr:\n +│ the key is missing\n/,
    ],
    [
      "a server with much output, by its last lines",
      { command: "node", args: ["-e", "for (let i = 1; i < 41; i++) console.error('line ' + i); process.exit(3)"] },
      3,
      /to see why: node -e.*\n +Its last output on stderr \(all of it: plugboard logs a\):\n +│ line 31\n(?: +│ line 3\d\n){8} +│ line 40\n/,
    ],
    [
      "a variable that is not set",
      { command: "node", env: { K: "${NOT_SET_HERE}" } },
      2,
      /NOT_SET_HERE, which is not set/,
    ],
    ["an invalid definition", { command: 7 }, 2, /"command" must be a string/],
    ["a disabled server", { command: "node", enabled: false }, 3, /"a" is disabled/],
    ["a port on which nothing listens", { url: "http://127.0.0.1:9/mcp" }, 3, /can't be reached.*Check its `url`/],
    [
      "a server that answers nothing",
      { ...scriptedLegacy("--never-start"), startup_timeout_ms: 300 },
      3,
      /did not finish starting within 300 ms.*startup_timeout_ms/,
    ],
    [
      "a program that writes other text to stdout",
      { command: "sh", args: ["-c", "echo Welcome!; cat >/dev/null"], startup_timeout_ms: 2000 },
      3,
      /It wrote one line to stdout that is no MCP message: it may be another kind of program/,
    ],
  ])("says what is wrong and what to do: %s", async (_, entry, expectedStatus, words) => {
    const { status, stdout } = await runPiped(await setUp({ mcpServers: { a: entry } }), "test", "a");
    expect(stdout).toMatch(words);
    expect(status).toBe(expectedStatus);
  });

  it.each([
    ["a login", 401, { "www-authenticate": "Bearer" }, /requires a login/],
    ["another URL", 404, {}, /Check that its URL is an MCP endpoint|Check its `url`/],
  ])("says that a server needs %s (HTTP status %s)", async (_, httpStatus, headers, words) => {
    const url = await startHttp(httpStatus, headers);
    const { status, stdout } = await runPiped(await setUp({ mcpServers: { a: { url } } }), "test", "a");
    expect(stdout).toMatch(words);
    expect(status).toBe(3);
  });

  it("fails for an unknown server before it starts any server", async () => {
    const setup = await setUp({ mcpServers: { files: scriptedLegacy() } });
    const { status, stdout, stderr } = await runPiped(setup, "test", "files", "fils");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain('Did you mean "files"?');
  });

  it("asks no question about a server that is not approved, and does not start it", async () => {
    const setup = await setUpProject({ a: scriptedLegacy() });
    const { status, stdout } = await runPiped(setup, "test", "a");
    expect(status).toBe(5);
    expect(stdout).toContain("plugboard trust a");
  });
});

describe("plugboard test --require", () => {
  it.each([
    ["offered", "a:echo", 0, ""],
    ["not offered", "a:eco", 2, 'TOOL_NOT_FOUND: There is no tool "a:eco". Did you mean "a:echo"?'],
    ["not of the form server:tool", "echo", 2, "--require must be server:tool"],
  ])("checks that a tool is offered: %s", async (_, tool, expectedStatus, words) => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy(), b: { command: "no-such-command" } } });
    const { status, stderr } = await runPiped(setup, "test", "a", "--require", tool);
    expect(status).toBe(expectedStatus);
    expect(stderr).toContain(words);
  });

  it("tests only the server of the tool if no server is named", async () => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy(), b: { command: "no-such-command" } } });
    const { status, stdout } = await runPiped(setup, "test", "--require", "a:echo", "--json");
    expect(status).toBe(0);
    expect(await parseOutput("test", stdout)).toMatchObject({ ok: true, servers: [{ id: "a" }], missingTools: [] });
  });
});

describe("plugboard test --scope", { meta: { covers: ["R2.70", "R2.86"] } }, () => {
  async function setUpScopes() {
    const setup = await setUpProject({ a: { command: "no-such-command" } }, { mcpServers: { a: scriptedLegacy() } });
    await runPiped(setup, "trust", "a", "--yes");
    return setup;
  }

  it.each([
    ["effective", [], 3],
    ["project", ["--scope", "project"], 3],
    ["user", ["--scope", "user"], 0],
    ["global, which means user", ["--scope", "global"], 0],
    ["local, where the server is not defined", ["--scope", "local"], 2],
  ])("tests the definition of the scope: %s", async (_, args, expectedStatus) => {
    expect((await runPiped(await setUpScopes(), "test", "a", ...args)).status).toBe(expectedStatus);
  });

  it("does not start a project's server that is not approved", async () => {
    const setup = await setUpProject({ a: scriptedLegacy() });
    expect((await runPiped(setup, "test", "a", "--scope", "project")).status).toBe(5);
  });
});
