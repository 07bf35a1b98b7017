/** Tests `plugboard logs` as a process, with the logs of servers that a command or a running host has started. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { memoryStdio } from "@plugboard/testkit/third-party-servers";
import { describe, expect, it } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import {
  puppetServer,
  runInTerminal,
  runPiped,
  runPipedProcess,
  setUp,
  startCommand,
} from "../../helpers/run-plugboard.ts";

const CANARY = "canary-7f3b9e2d41";
const HOSTILE = "\u001b[2J\u001b]52;c;eA==\u0007 \u202Eevil \u200b\rok";

describe("plugboard logs", () => {
  it("shows the stderr of a real server after the command that started it has ended", async () => {
    const setup = await setUp({ mcpServers: { memory: memoryStdio() } });
    await runPiped(setup, "call", "memory:read_graph");
    const { status, stdout } = await runPipedProcess(setup, "logs", "memory");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}stderr {5}Knowledge Graph MCP Server running on stdio/);
  });

  it("shows log messages, and the output of a server that could not start", async () => {
    const logs = [
      { level: "warning", logger: "db", data: { slow: true } },
      { level: "info", data: "two\nlines" },
    ];
    const crash = { command: process.execPath, args: ["-e", "process.stderr.write('no disk'); process.exit(1)"] };
    const setup = await setUp({ mcpServers: { quiet: puppetServer({ stderr: "up\n", logs }), crash } });
    await runPiped(setup, "call", "quiet:go");
    await runPiped(setup, "tools", "crash");
    const { stdout } = await runPiped(setup, "logs", "quiet");
    await expect(withoutTimes(stdout)).toMatchFileSnapshot("../../golden/logs.txt");
    const crashed = await runPiped(setup, "logs", "crash", "--lines", "1");
    expect(withoutTimes(crashed.stdout)).toBe("<time>  stderr     no disk\n");
  });

  it("prints one JSON object per line with --json", async () => {
    const logs = [{ level: "error", logger: "db", data: ["x"] }];
    const setup = await setUp({ mcpServers: { quiet: puppetServer({ stderr: "up\n", logs }) } });
    await runPiped(setup, "call", "quiet:go");
    const { stdout } = await runPipedProcess(setup, "logs", "quiet", "--json");
    const lines = stdout.trimEnd().split("\n");
    const parsed = await Promise.all(lines.map((line) => parseOutput("logs", line)));
    expect(parsed).toMatchObject([
      { stream: "stderr", text: "up" },
      { stream: "log", level: "error", logger: "db", text: '["x"]' },
    ]);
  });

  it("masks secrets of the definition", { meta: { covers: ["A12", "R2.141"] } }, async () => {
    const puppet = puppetServer({
      stderr: `token ${CANARY}\n`,
      logs: [{ level: "info", logger: CANARY, data: CANARY }],
    });
    const entry = { ...puppet, env: { API_TOKEN: CANARY } };
    const setup = await setUp({ mcpServers: { leaky: entry } });
    await runPiped(setup, "call", "leaky:go");
    for (const format of [[], ["--json"]]) {
      const { stdout } = await runPiped(setup, "logs", "leaky", ...format);
      expect(stdout).toContain("token ***");
      expect(stdout).not.toContain(CANARY);
    }
  });

  it(
    "shows escape sequences as text, and no line that imitates another entry",
    { meta: { covers: ["A7"] } },
    async () => {
      const logs = [{ level: "info", logger: HOSTILE, data: `${HOSTILE}\n2026-01-01 00:00:00  error      forged` }];
      const setup = await setUp({ mcpServers: { evil: puppetServer({ stderr: `${HOSTILE}\n`, logs }) } });
      await runPiped(setup, "call", "evil:go");
      const { stdout } = await runPiped(setup, "logs", "evil");
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/);
      expect(stdout).not.toMatch(/^2026-01-01/m);
      expect(stdout).toContain("forged");
    },
  );

  it("keeps the last lines of a flood of output, in files of limited size", { meta: { covers: ["F16"] } }, async () => {
    const flood = fileURLToPath(new URL("../../../../testkit/dist/servers/floods-stderr.js", import.meta.url));
    const entry = { command: process.execPath, args: [flood, "30"], startup_timeout_ms: 5000 };
    const setup = await setUp({ mcpServers: { flood: entry } });
    const { child, exited } = startCommand(setup, "tools", "flood");
    const log = startCommand(setup, "logs", "flood", "-f");
    await log.stdout.waitFor("the last words\n", 15_000);
    child.kill("SIGINT");
    await exited;
    expect(log.stdout.text).toMatch(/\(\d+ bytes are missing here, because the server printed too much at once\)/);
    const folder = join(setup.env["XDG_STATE_HOME"]!, "plugboard", "logs");
    const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
    for (const size of await Promise.all(sizes)) expect(size).toBeLessThan(1.1 * 1024 * 1024);
  });

  it("suggests the right id for a typo, and says if a server has printed nothing", async () => {
    const setup = await setUp({ mcpServers: { github: puppetServer({}) } });
    const typo = await runPiped(setup, "logs", "githb");
    expect(typo).toMatchObject({ status: 2, stdout: "" });
    expect(typo.stderr).toContain('Did you mean "github"?');
    const silent = await runPiped(setup, "logs", "github");
    expect(silent).toMatchObject({ status: 0, stdout: "" });
    expect(silent.stderr).toContain('"github" has printed nothing yet.');
  });

  it("follows the log on a terminal until Ctrl-C, also before the first line", async () => {
    const logs = [{ level: "warning", data: "careful" }];
    const setup = await setUp({ mcpServers: { quiet: puppetServer({ stderr: "up\n", logs }) } });
    const terminal = runInTerminal(setup, "logs", "quiet", "-f");
    await terminal.waitFor("has printed nothing yet");
    await runPiped(setup, "call", "quiet:go");
    await terminal.waitFor("up\r\n");
    await terminal.waitFor("careful\r\n");
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
    expect(terminal.output()).toContain("\u001b[33mwarning    \u001b[39m");
  });

  it("stops following when the reader of the output has gone", async () => {
    const setup = await setUp({ mcpServers: { quiet: puppetServer({ stderr: "up\n" }) } });
    await runPiped(setup, "call", "quiet:go");
    const { child, stdout, exited } = startCommand(setup, "logs", "quiet", "-f");
    await stdout.waitFor("up\n", 15_000);
    child.stdout.destroy();
    // The command notices that the reader has gone when it writes the next line.
    await runPiped(setup, "call", "quiet:go");
    expect(await exited).toBe(141);
  });
});

function withoutTimes(text: string): string {
  return text.replaceAll(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/gm, "<time>");
}

describe("`plugboard logs` when no server is named", () => {
  /** Two servers that print when they start. */
  const setUpTwo = () =>
    setUp({ mcpServers: { a: puppetServer({ stderr: "of a\n" }), second: puppetServer({ stderr: "of second\n" }) } });

  it("merges the logs of all servers by time, with the server before each line", async () => {
    const setup = await setUpTwo();
    for (const tool of ["second:go", "a:go", "second:go"]) await runPiped(setup, "call", tool);
    const { status, stdout } = await runPiped(setup, "logs");
    expect(status).toBe(0);
    const rows = [
      "<time>  second  stderr     of second",
      "<time>  a       stderr     of a",
      "<time>  second  stderr     of second",
    ];
    expect(withoutTimes(stdout)).toBe(`${rows.join("\n")}\n`);
    expect(withoutTimes((await runPiped(setup, "logs", "--lines", "2")).stdout)).toBe(`${rows.slice(1).join("\n")}\n`);
    const json = (await runPiped(setup, "logs", "--json")).stdout.trimEnd().split("\n");
    const parsed = await Promise.all(json.map((line) => parseOutput("logs", line)));
    expect(parsed).toMatchObject([{ server: "second" }, { server: "a", text: "of a" }, { server: "second" }]);
  });

  it("follows the logs of all servers", async () => {
    const setup = await setUpTwo();
    await runPiped(setup, "call", "a:go");
    const { child, stdout, exited } = startCommand(setup, "logs", "--follow");
    await stdout.waitFor(/ a +stderr +of a\n/, 15_000);
    await runPiped(setup, "call", "second:go");
    await stdout.waitFor(/ second +stderr +of second\n/, 15_000);
    child.kill("SIGINT");
    expect(await exited).toBe(130);
    expect(stdout.text.trimEnd().split("\n")).toHaveLength(2);
  });

  it("says that no server has printed anything", async () => {
    const { status, stdout, stderr } = await runPiped(await setUpTwo(), "logs");
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    expect(stderr).toContain("No server has printed anything yet.");
  });
});
