/** Ctrl-C and the signals that end a process, at every moment of a command. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { serversOf, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, vi } from "vitest";
import { runInTerminal, setUp, startCommand } from "../helpers/run-plugboard.ts";

/** For what takes milliseconds on a machine that has nothing else to do. */
const PATIENCE_MS = 20_000;

const startingForever = () => setUp({ mcpServers: { slow: scriptedLegacy("--never-start") } });

async function serverOf(pid: number): Promise<number> {
  return vi.waitFor(() => {
    const [server] = serversOf(pid);
    if (server === undefined) throw new Error("no server yet");
    return server;
  }, PATIENCE_MS);
}

describe.each([
  ["tools", ["tools"]],
  ["tools of one server", ["tools", "slow"]],
  ["status --connect", ["status", "--connect"]],
  ["a call by its server", ["call", "slow:echo", "text=a"]],
  ["a call by its model-visible name", ["call", "mcp__slow__echo", "text=a"]],
])("while a server starts for %s", (_, args) => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s ends it and the server", async (signal, status) => {
    const { child, exited, stdout, stderr } = startCommand(await startingForever(), ...args);
    const server = await serverOf(child.pid!);
    child.kill(signal);
    expect(await exited).toBe(status);
    expect(stdout.text).toBe("");
    expect(stderr.text).toMatch(/^(Cancelling… \(again to force\)\n)?CANCELLED: .*\n$/);
    await waitUntilDead(server, PATIENCE_MS);
  });
});

describe("a server that does not want to stop", () => {
  const stubborn = () => setUp({ mcpServers: { stubborn: scriptedLegacy("--ignore-term", "--never-start") } });

  it("is waited for, and that is said at once", async () => {
    const { child, stderr } = startCommand(await stubborn(), "tools");
    await serverOf(child.pid!);
    child.kill("SIGINT");
    await stderr.waitFor("Cancelling… (again to force)\n", PATIENCE_MS);
  });

  it("is killed when asked again", async () => {
    const { child, stderr, exited } = startCommand(await stubborn(), "tools");
    const server = await serverOf(child.pid!);
    child.kill("SIGINT");
    await stderr.waitFor("Cancelling… (again to force)\n", PATIENCE_MS);
    const before = Date.now();
    child.kill("SIGINT");
    expect(await exited).toBe(130);
    // Asked once, it would be killed four seconds after that.
    expect(Date.now() - before).toBeLessThan(3500);
    await waitUntilDead(server, PATIENCE_MS);
  });

  it("is not killed because one signal was delivered twice, as npx and timeout do", async () => {
    const { child, stderr } = startCommand(await stubborn(), "tools");
    const server = await serverOf(child.pid!);
    // Stopped meanwhile, it receives both at the same moment, however busy the machine is.
    for (const signal of ["SIGSTOP", "SIGINT", "SIGTERM", "SIGCONT"] as const) child.kill(signal);
    await stderr.waitFor("Cancelling… (again to force)\n", PATIENCE_MS);
    expect(serversOf(child.pid!)).toEqual([server]);
  });
});

describe("a call that is given up", () => {
  it("says so in one line", async () => {
    const { command, args } = scriptedLegacy();
    // The server notes on stderr that it holds the call; here that goes to a file.
    const noting = { command: "sh", args: ["-c", 'exec "$@" 2>server.log', "sh", command, ...args] };
    const setup = await setUp({ mcpServers: { a: noting } });
    const { child, stderr, exited } = startCommand(setup, "call", "a:hold");
    const log = join(setup.cwd, "server.log");
    await vi.waitFor(async () => expect(await readFile(log, "utf8")).toContain("holding"), PATIENCE_MS);
    child.kill("SIGINT");
    expect(await exited).toBe(130);
    expect(stderr.text.replace("Cancelling… (again to force)\n", "")).toBe(
      "CANCELLED: You interrupted the call; the server was told.\n",
    );
  });

  it("says nothing of its question as well", async () => {
    const terminal = runInTerminal(await setUp({ mcpServers: { a: scriptedLegacy() } }), "call", "a:ask");
    await terminal.waitFor(" asks for name: ");
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
    expect(terminal.screen()).toContain("CANCELLED: You interrupted the call; the server was told.");
    expect(terminal.screen()).not.toContain("taken back");
    expect(terminal.screen()).not.toContain("Dismissed");
  });
});
