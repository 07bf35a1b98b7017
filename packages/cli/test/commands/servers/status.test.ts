/** Tests `plugboard status`: what is configured, rows as servers connect, and the live table. */
import { openTerminal } from "@plugboard/testkit/terminal/pseudo-terminal";
import { everythingStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseOutput } from "../../helpers/json-schema.ts";
import { setUpProject } from "../../helpers/project-setup.ts";
import {
  command,
  runInShell,
  runInTerminal,
  runPiped,
  runPipedProcess,
  setUp,
  startCommand,
} from "../../helpers/run-plugboard.ts";
import type { Setup } from "../../helpers/run-plugboard.ts";

const hung = () => ({ ...scriptedLegacy("--never-start"), startup_timeout_ms: 60_000 });

async function serve(setup: Setup): Promise<void> {
  const server = startCommand(setup, "serve", "--port", "0");
  await server.stdout.waitFor("Stop with Ctrl-C", 15_000);
  // Waits for the servers, because the address is printed before they are ready.
  await runPiped(setup, "status", "--connect");
}

function openWatch(setup: Setup, columns: number, ...args: string[]) {
  const terminal = openTerminal(process.execPath, [command, "status", "--connect", "--watch", ...args], {
    cwd: setup.cwd,
    env: setup.env,
    cols: columns,
  });
  onTestFinished(() => terminal.kill());
  return terminal;
}

describe("plugboard status without a running host", () => {
  it("shows what is configured, and says that no host is running", { meta: { covers: ["R2.99"] } }, async () => {
    const setup = await setUp({
      mcpServers: { files: { command: "no-such-command" }, off: { command: "x", enabled: false }, bad: { command: 7 } },
    });
    const { status, stdout, stderr } = await runPiped(setup, "status");
    expect(status).toBe(0);
    await expect(stdout.replaceAll(setup.cwd, "~")).toMatchFileSnapshot("../../golden/status.txt");
    expect(stderr).toMatch(/No host is running, so this is what is configured\. .*`plugboard serve`.*--connect/);
    const { stdout: json } = await runPiped(setup, "status", "--json");
    expect(await parseOutput("status", json)).toMatchObject([{ id: "files", state: "idle", live: false }, {}, {}]);
    expect((await runPiped(setup, "status", "files")).stderr).toContain("No host is running");
  });

  it("shows the same word as list for servers that are invalid or not approved", async () => {
    const setup = await setUpProject({ waiting: { command: "x" } }, { mcpServers: { bad: { command: 7 } } });
    const [list, status] = await Promise.all([runPiped(setup, "list"), runPiped(setup, "status")]);
    for (const [id, word] of [
      ["bad", "invalid"],
      ["waiting", "untrusted"],
    ]) {
      expect(list.stdout).toMatch(new RegExp(`^${id} .* ${word} `, "m"));
      expect(status.stdout).toMatch(new RegExp(`^${id} .* no +${word} `, "m"));
    }
  });

  it("refuses to watch, because nothing would change", async () => {
    const { status, stderr } = await runPiped(await setUp(), "status", "--watch");
    expect(status).toBe(2);
    expect(stderr).toContain("there is nothing to watch");
  });
});

describe("plugboard status --connect", () => {
  it("writes the row of a server while another one hangs", { meta: { covers: ["R2.100"] } }, async () => {
    const setup = await setUp({ mcpServers: { hung: hung(), good: everythingStdio(), bad: { command: "no-such" } } });
    const { child, stdout, exited } = startCommand(setup, "status", "--connect");
    await stdout.waitFor(/^good +stdio +user +yes +ready +\d+/m, 15_000);
    await stdout.waitFor(/^bad +stdio +user +yes +error/m, 15_000);
    expect(stdout.text).toContain("bad: SERVER_SPAWN_FAILED");
    expect(stdout.text).not.toContain("hung");
    child.kill("SIGINT");
    expect(await exited).toBe(130);
    expect(stdout.text.match(/^good /gm)).toHaveLength(1);
  });

  it("says on a terminal which server it still waits for", async () => {
    const setup = await setUp({ mcpServers: { hung: hung(), good: scriptedLegacy() } });
    const terminal = runInTerminal(setup, "status", "--connect");
    await terminal.waitFor(/good .*ready/);
    await terminal.waitFor("starting hung … 2 s");
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
  });

  it("prints JSON that matches its schema", async () => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy("--bad-tool"), b: { command: "no-such-command" } } });
    const all = await runPipedProcess(setup, "status", "--connect", "--json");
    expect(all.status).toBe(3);
    const states = [
      { id: "a", state: "ready", live: true },
      { id: "b", state: "error" },
    ];
    expect(await parseOutput("status", all.stdout)).toMatchObject(states);
    const one = await runPiped(setup, "status", "a", "--connect", "--json");
    expect(await parseOutput("status", one.stdout)).toMatchObject({ id: "a", live: true });
  });
});

describe("plugboard status --watch", () => {
  it("prints a snapshot of the running host and then each change as one JSON object", async () => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy() } });
    await serve(setup);
    const { stdout } = startCommand(setup, "status", "--watch", "--json");
    await stdout.waitFor(/"type":"snapshot".*\n/, 15_000);
    await runPiped(setup, "call", "a:crash");
    await stdout.waitFor(/"type":"changed".*"state":"connecting".*\n/, 15_000);
    await stdout.waitFor(/"type":"changed".*"state":"ready".*\n/, 15_000);
    const lines = stdout.text.trimEnd().split("\n");
    for (const line of lines) await parseOutput("status", line);
    expect(JSON.parse(lines[0]!)).toMatchObject({ servers: [{ id: "a", state: "ready" }] });
  });

  it("ends when the reader of the pipe ends", async () => {
    const setup = await setUp({ mcpServers: { a: scriptedLegacy() } });
    const { status, stdout } = await runInShell(
      setup,
      "plugboard status --connect --watch | head -n 1; exit ${PIPESTATUS[0]}",
    );
    expect({ status, stdout }).toEqual({ status: 141, stdout: expect.stringMatching(/^SERVER .*\n$/) as string });
  });

  it("prints one line for each change in a pipe", async () => {
    const { stdout } = startCommand(
      await setUp({ mcpServers: { a: scriptedLegacy() } }),
      "status",
      "--watch",
      "--connect",
    );
    await stdout.waitFor(/^a +stdio/m, 15_000);
    await stdout.waitFor(/^\S+Z a connecting\n/m, 15_000);
    await stdout.waitFor(/^\S+Z a ready, \d+ tools\n/m, 15_000);
  });

  it("redraws the table in place, and shows the cursor again after Ctrl-C", async () => {
    const terminal = openWatch(await setUp({ mcpServers: { hung: hung(), a: scriptedLegacy() } }), 100);
    await terminal.waitFor("\u001b[?25l");
    await terminal.waitFor(/\u001b\[\d+A\u001b\[J.*\u001b\[32mready\u001b\[39m/s);
    await terminal.waitFor(/connecting … \d+ s/);
    terminal.type("\x03");
    await terminal.waitFor("\u001b[?25h");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
  });

  it("fits a terminal of 40 columns, and has no colors with NO_COLOR", async () => {
    const server = scriptedLegacy("--ignore-term");
    const { cwd, env } = await setUp({ mcpServers: { "a-server-with-a-long-name": server } });
    const terminal = openWatch({ cwd, env: { ...env, NO_COLOR: "1" } }, 40);
    await terminal.waitFor(/ ready /);
    terminal.type("\x03");
    await terminal.waitFor("Cancelling… (Ctrl-C again to force)");
    terminal.type("\x03");
    await terminal.exited;
    const rows = terminal.output().split(/\r\n|\u001b\[[\d?]*[AJhl]|\r/);
    expect(rows.filter((row) => row.length > 39)).toEqual([]);
    expect(terminal.output()).not.toMatch(/\u001b\[\d+m/);
  });
});
