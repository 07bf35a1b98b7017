/** Tests Ctrl-C and termination signals while a command runs. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { serversOf, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import type { CliContext } from "#terminal/cli-context.js";
import { Interruption, rejectOnInterrupt } from "#terminal/interruption.js";
import { describe, expect, it, vi } from "vitest";
import { runInTerminal, setUp, startCommand } from "../helpers/run-plugboard.ts";

/** Enough time on a busy machine, but shorter than the timeout of a test, so that a failure says what is missing. */
const WAIT_TIMEOUT_MS = 15_000;

const setUpNeverStarting = () => setUp({ mcpServers: { slow: scriptedLegacy("--never-start") } });

async function serverOf(pid: number): Promise<number> {
  return vi.waitFor(() => {
    const [server] = serversOf(pid);
    if (server === undefined) throw new Error("no server yet");
    return server;
  }, WAIT_TIMEOUT_MS);
}

it("Interruption allows any number of waits without a warning of Node", async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => void warnings.push(name);
  process.on("warning", onWarning);
  const interruption = new Interruption({} as CliContext);
  const waits = Array.from({ length: 30 }, () => rejectOnInterrupt(Promise.resolve(), interruption.signal));
  await Promise.all(waits);
  await setImmediate();
  interruption.stopListening();
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});

describe.each([
  ["plugboard tools", ["tools"]],
  ["plugboard tools <server>", ["tools", "slow"]],
  ["plugboard status --connect", ["status", "--connect"]],
  ["plugboard call <server:tool>", ["call", "slow:echo", "text=a"]],
  ["plugboard call <name as models see it>", ["call", "mcp__slow__echo", "text=a"]],
])("a command that waits for a server to start: %s", (_, args) => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("exits on %s, and stops the server", async (signal, status) => {
    const { child, exited, stdout, stderr } = startCommand(await setUpNeverStarting(), ...args);
    const server = await serverOf(child.pid!);
    child.kill(signal);
    expect(await exited).toBe(status);
    expect(stdout.text).toBe("");
    expect(stderr.text).toMatch(/^(Cancelling… \(Ctrl-C again to force\)\n)?CANCELLED: .*\n$/);
    await waitUntilDead(server, WAIT_TIMEOUT_MS);
  });
});

describe("a command whose server does not stop", () => {
  const setUpUnstoppable = () => setUp({ mcpServers: { stubborn: scriptedLegacy("--ignore-term", "--never-start") } });

  it("says at once that it is cancelling, and waits", async () => {
    const { child, stderr } = startCommand(await setUpUnstoppable(), "tools");
    await serverOf(child.pid!);
    child.kill("SIGINT");
    await stderr.waitFor("Cancelling… (Ctrl-C again to force)\n", WAIT_TIMEOUT_MS);
  });

  it("kills the server on the second Ctrl-C", async () => {
    const { child, stderr, exited } = startCommand(await setUpUnstoppable(), "tools");
    const server = await serverOf(child.pid!);
    child.kill("SIGINT");
    await stderr.waitFor("Cancelling… (Ctrl-C again to force)\n", WAIT_TIMEOUT_MS);
    const before = Date.now();
    child.kill("SIGINT");
    expect(await exited).toBe(130);
    // After one signal, the server is killed only after four seconds.
    expect(Date.now() - before).toBeLessThan(3500);
    await waitUntilDead(server, WAIT_TIMEOUT_MS);
  });

  it("does not kill the server when npx or timeout delivers one signal twice", async () => {
    const { child, stderr } = startCommand(await setUpUnstoppable(), "tools");
    const server = await serverOf(child.pid!);
    // A stopped process receives both signals at the same moment when it continues.
    for (const signal of ["SIGSTOP", "SIGINT", "SIGTERM", "SIGCONT"] as const) child.kill(signal);
    await stderr.waitFor("Cancelling… (Ctrl-C again to force)\n", WAIT_TIMEOUT_MS);
    expect(serversOf(child.pid!)).toEqual([server]);
  });
});

describe("plugboard call", () => {
  it("reports the interruption in one line", async () => {
    const { command, args } = scriptedLegacy();
    // The server writes to stderr that it holds the call. The test reads that from a file.
    const loggingServer = { command: "sh", args: ["-c", 'exec "$@" 2>server.log', "sh", command, ...args] };
    const setup = await setUp({ mcpServers: { a: loggingServer } });
    const { child, stderr, exited } = startCommand(setup, "call", "a:hold");
    const log = join(setup.cwd, "server.log");
    await vi.waitFor(async () => expect(await readFile(log, "utf8")).toContain("holding"), WAIT_TIMEOUT_MS);
    child.kill("SIGINT");
    expect(await exited).toBe(130);
    expect(stderr.text.replace("Cancelling… (Ctrl-C again to force)\n", "")).toBe(
      "CANCELLED: You interrupted the call; the server was sent a cancellation.\n",
    );
  });

  it("does not report its open question when interrupted", async () => {
    const terminal = runInTerminal(await setUp({ mcpServers: { a: scriptedLegacy() } }), "call", "a:ask");
    await terminal.waitFor(" asks for name: ");
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
    expect(terminal.output()).toContain("CANCELLED: You interrupted the call; the server was sent a cancellation.");
    expect(terminal.output()).not.toContain("withdrawn");
    expect(terminal.output()).not.toContain("Dismissed");
  });
});
