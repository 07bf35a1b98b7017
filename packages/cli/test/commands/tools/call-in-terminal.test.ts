/** Tests what `plugboard call` asks and shows on a terminal. */
import { everythingStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it } from "vitest";
import { puppetServer, runInTerminal, setUp } from "../../helpers/run-plugboard.ts";

describe("plugboard call on a terminal", () => {
  it("asks for missing arguments by their types", async () => {
    const inputSchema = {
      type: "object",
      properties: {
        path: { type: "string", description: "the file\u001b[2J" },
        count: { type: "integer", minimum: 1 },
        force: { type: "boolean" },
        mode: { enum: ["fast", "slow"] },
        tags: { type: "array", items: { type: "string" } },
        key: { type: "string", format: "password" },
        given: { type: "string" },
      },
      required: ["path", "count", "force", "mode", "tags", "key", "given"],
    };
    const setup = await setUp({
      mcpServers: { a: puppetServer({ tools: [{ name: "go", inputSchema }], mirror: true }) },
    });
    const terminal = runInTerminal(setup, "call", "a:go", "given=x");
    const answer = async (prompt: string, typed: string) => {
      await terminal.waitFor(prompt);
      terminal.type(`${typed}\r`);
    };
    const shown = await terminal.waitFor("a:go asks for path: ");
    expect(shown).toContain("│ the file<U+001B>[2J (required)");
    terminal.type("\r");
    await terminal.waitFor('"path" is required.');
    await answer("a:go asks for path: ", "notes.md");
    await answer("a:go asks for count (whole number): ", "many");
    await terminal.waitFor('"count" must be a number.');
    await answer("a:go asks for count (whole number): ", "3");
    await answer("a:go asks for force (y/n): ", "y");
    await answer("a:go asks for mode (number or name): ", "2");
    await answer("a:go asks for tags: ", "one");
    await answer("a:go asks for key: ", "canary-key");
    await terminal.waitFor(
      '{"given":"x","path":"notes.md","count":3,"force":true,"mode":"slow","tags":["one"],"key":"canary-key"}',
    );
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(terminal.output().split("canary-key")).toHaveLength(2);
  });

  it("cancels the command on Ctrl-C while it asks, and sends no call", async () => {
    const terminal = runInTerminal(await setUp({ mcpServers: { a: scriptedLegacy() } }), "call", "a:echo");
    await terminal.waitFor("a:echo asks for text: ");
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
    expect(terminal.output()).toContain("CANCELLED");
  });

  it("names the missing arguments if the input ends while it asks", async () => {
    const terminal = runInTerminal(await setUp({ mcpServers: { a: scriptedLegacy() } }), "call", "a:echo");
    await terminal.waitFor("a:echo asks for text: ");
    terminal.type("\x04");
    await terminal.waitFor('"text" is required');
    expect(await terminal.exited).toMatchObject({ exitCode: 2 });
  });

  it("shows the elapsed time of a call, then the server's progress, and leaves no trace of them", async () => {
    const setup = await setUp({ mcpServers: { every: everythingStdio() } });
    const name = "every:trigger-long-running-operation";
    const terminal = runInTerminal(setup, "call", name, "duration=3", "steps=2");
    await terminal.waitFor(`calling ${name} … 1 s`);
    await terminal.waitFor(`calling ${name} … 1/2, `);
    await terminal.waitFor("Long running operation completed.");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(terminal.output()).not.toMatch(/calling[^\u001b]*\n/);
  });

  it("allows with --yes the call that a rule asks about, and still asks the server's questions", async () => {
    const setup = await setUp({ mcp: { servers: { a: scriptedLegacy() }, permissions: { ask: ["a:*"] } } });
    const terminal = runInTerminal(setup, "call", "a:ask", "--yes");
    await terminal.waitFor("a:ask asks for name: ");
    terminal.type("Ann\r");
    await terminal.waitFor('"name":"Ann"');
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    expect(terminal.output()).not.toContain("Allow a:ask?");
  });

  it("can't be controlled by a server's progress, tool or result", { meta: { covers: ["A7"] } }, async () => {
    const hostile = "\u001b[2J\u001b]0;x\u0007\u009b1m\r\u202e\u200b\u{e0041}";
    const tools = [
      {
        name: `go${hostile}`,
        description: hostile,
        inputSchema: { type: "object", properties: { [hostile]: {} }, required: [hostile] },
      },
    ];
    const result = { content: [{ type: "text", text: `done${hostile}` }] };
    const setup = await setUp({ mcpServers: { a: puppetServer({ tools, result }) } });
    const call = runInTerminal(setup, "call", `a:go${hostile}`);
    await call.waitFor(" asks for ");
    call.type("x\r");
    await call.waitFor("done<U+001B>[2J");
    expect(await call.exited).toMatchObject({ exitCode: 0 });
    const list = runInTerminal(setup, "tools");
    await list.waitFor("a:");
    expect(await list.exited).toMatchObject({ exitCode: 0 });
    const detail = runInTerminal(setup, "tools", `a:go${hostile}`);
    expect(await detail.exited).toMatchObject({ exitCode: 0 });
    for (const terminal of [call, list, detail]) {
      for (const part of ["\u001b[2J", "\u001b]0;", "\u009b", "\u202e", "\u200b", "\u{e0041}"])
        expect(terminal.output()).not.toContain(part);
    }
  });
});
