/** Tests on a real terminal that a command always shows what it waits for. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { runInTerminal, setUp } from "../helpers/run-plugboard.ts";

describe("a command in a terminal", () => {
  it("says which server it is starting, and erases the line before the result", async () => {
    const setup = await setUp({ mcpServers: { slow: scriptedLegacy("--slow-start", "1500") } });
    const terminal = runInTerminal(setup, "call", "slow:echo", "text=hi there");
    await terminal.waitFor("starting slow …");
    await terminal.waitFor("starting slow … 1 s");
    expect(await terminal.waitFor("hi there\r\n")).toMatch(/\r\u001b\[2Khi there\r\n$/);
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });

  it("says what the server wrote to stderr if the start takes long", async () => {
    const script = "console.error('fetching the model\\u001b[31m'); process.stdin.resume()";
    const entry = { command: process.execPath, args: ["-e", script], startup_timeout_ms: 60_000 };
    const terminal = runInTerminal(await setUp({ mcpServers: { slow: entry } }), "tools", "slow");
    await terminal.waitFor(/starting slow … \d+ s “fetching the model”/);
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
  });

  it("says that it stops a server that does not end by itself", async () => {
    const setup = await setUp({ mcpServers: { stubborn: scriptedLegacy("--ignore-term") } });
    const terminal = runInTerminal(setup, "call", "stubborn:echo", "text=done");
    await terminal.waitFor("done\r\n");
    await terminal.waitFor("stopping stubborn … 1 s");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(terminal.output()).toMatch(/\r\u001b\[2K$/);
  });

  it("gets plain lines if the terminal is dumb", async () => {
    const { cwd, env } = await setUp({ mcpServers: { slow: scriptedLegacy("--slow-start", "1500") } });
    const terminal = runInTerminal({ cwd, env: { ...env, TERM: "dumb" } }, "call", "slow:echo", "text=hi there");
    await terminal.waitFor("starting slow …\r\n");
    await terminal.waitFor("hi there\r\n");
    await terminal.exited;
    expect(terminal.output()).not.toContain("\u001b");
  });
});
