/** Tests questions during a call on a pseudo-terminal, with real servers. */
import type { ServerEntry } from "@plugboard/contracts";
import { waitUntilDead } from "@plugboard/testkit/process-alive";
import {
  everythingStdio,
  modernStdio,
  scriptedLegacy,
  startEverythingHttp,
  startModernHttp,
} from "@plugboard/testkit/start-server";
import type { RunningServer } from "@plugboard/testkit/start-server";
import type { Terminal } from "@plugboard/testkit/terminal/pseudo-terminal";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runInTerminal, runPiped, setUp } from "../helpers/run-plugboard.ts";

let everythingHttp: RunningServer;
let modernHttp: RunningServer;
beforeAll(async () => {
  [everythingHttp, modernHttp] = await Promise.all([startEverythingHttp(), startModernHttp()]);
});
afterAll(() => Promise.all([everythingHttp.close(), modernHttp.close()]));

const legacy = { tool: "trigger-elicitation-request", says: "Name: Ann" };
const modern = { tool: "ask_name", says: "hello Ann, tea" };
const cases: { name: string; entry: () => ServerEntry; tool: string; says: string }[] = [
  { name: "legacy over stdio", entry: () => everythingStdio(), ...legacy },
  { name: "legacy over HTTP", entry: () => ({ url: everythingHttp.url }), ...legacy },
  { name: "modern over stdio", entry: () => modernStdio(), ...modern },
  { name: "modern over HTTP", entry: () => ({ url: modernHttp.url }), ...modern },
];

/** Waits for the prompt of a field, then types. */
async function fill(terminal: Terminal, field: string, typed: string): Promise<void> {
  await terminal.waitFor(new RegExp(` asks for ${field}( \\(.*\\))?( \\[.*\\])?: `));
  terminal.type(`${typed}\r`);
}

describe.each(cases)("a form from a $name server", { meta: { covers: ["R2.6", "R3.4"] } }, ({ entry, tool, says }) => {
  it("is filled in on the terminal", async () => {
    const setup = await setUp({ mcpServers: { tested: entry() } });
    const terminal = runInTerminal(setup, "call", `tested:${tool}`);
    await terminal.waitFor(`tested:${tool} asks:`);
    await fill(terminal, "name", "");
    await terminal.waitFor("name is required.");
    await fill(terminal, "name", "Ann");
    if (tool === modern.tool) await fill(terminal, "likes", "1");
    else await skipOtherFields(terminal);
    await terminal.waitFor(says);
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });

  it("is declined on the terminal", async () => {
    const setup = await setUp({ mcpServers: { tested: entry() } });
    const terminal = runInTerminal(setup, "call", `tested:${tool}`);
    await fill(terminal, "name", ":decline");
    await terminal.waitFor(/declined/);
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });

  it("is cancelled with Ctrl-C, and the command exits with 130", async () => {
    const setup = await setUp({ mcpServers: { tested: entry() } });
    const terminal = runInTerminal(setup, "call", `tested:${tool}`);
    await terminal.waitFor(/ asks for name( \(.*\))?: /);
    terminal.type("\x03");
    expect(await terminal.exited).toMatchObject({ exitCode: 130 });
    expect(terminal.output()).toContain("CANCELLED");
    await waitUntilDead(terminal.pid, 1000);
  });
});

/** Presses Enter for all further fields of the everything server's form, which are optional. */
async function skipOtherFields(terminal: Terminal): Promise<void> {
  const prompts = ["check", "firstLine", "email", "homepage", "birthdate", "integer"];
  for (const field of prompts) await fill(terminal, field, "");
  // The default is 3.14. The published schemas, unlike the specification, don't allow it in an answer.
  await fill(terminal, "number", "3");
  for (;;) {
    const seen = await terminal.waitFor(
      /(\w+ \((?:number or name|numbers or names, separated by commas)\)( \[.*\])?: |User inputs)/,
    );
    if (seen.endsWith("User inputs")) return;
    terminal.type("\r");
  }
}

describe("an open question on the terminal", () => {
  it("is withdrawn when the server finishes without the answer", async () => {
    const setup = await setUp({ mcpServers: { tested: scriptedLegacy() } });
    const terminal = runInTerminal(setup, "call", "tested:ask_and_finish", "after_ms=300");
    await terminal.waitFor(" asks for name: ");
    await terminal.waitFor("The question was withdrawn");
    await terminal.waitFor("finished without you");
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });

  it("is dismissed when the input of the terminal ends", async () => {
    const setup = await setUp({ mcpServers: { tested: scriptedLegacy() } });
    const terminal = runInTerminal(setup, "call", "tested:ask");
    await terminal.waitFor(" asks for name: ");
    terminal.type("\x04");
    await terminal.waitFor('answer: {"action":"cancel"}');
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
  });
});

describe("a permission question on the terminal", () => {
  const config = () => ({ mcp: { servers: { tested: scriptedLegacy() }, permissions: { ask: ["tested:echo"] } } });

  it(
    "shows the tool, the rule and the arguments, and runs the call on y",
    { meta: { covers: ["R2.132", "R2.138"] } },
    async () => {
      const terminal = runInTerminal(await setUp(config()), "call", "tested:echo", "text=hello");
      const shown = await terminal.waitFor("Allow tested:echo?");
      expect(shown).toContain("tested:echo needs your permission (rule tested:echo)");
      expect(shown).toContain('"text": "hello"');
      terminal.type("maybe\r");
      await terminal.waitFor("Allow tested:echo?");
      terminal.type("y\r");
      await terminal.waitFor(/[\nK]hello/);
      expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    },
  );

  it("denies the call on n, with the reason that was typed", { meta: { covers: ["R2.132", "R2.161"] } }, async () => {
    const terminal = runInTerminal(await setUp(config()), "call", "tested:echo", "text=hello");
    await terminal.waitFor("Allow tested:echo?");
    terminal.type("n not today\r");
    await terminal.waitFor("TOOL_DENIED");
    expect(await terminal.exited).toMatchObject({ exitCode: 5 });
    expect(terminal.output()).toContain("not today");
  });

  it("is not answered by what was typed before it appeared", async () => {
    const terminal = runInTerminal(await setUp(config()), "call", "tested:echo", "text=hello");
    terminal.type("y\r");
    await terminal.waitFor("Allow tested:echo?");
    terminal.type("n typed too early\r");
    await terminal.waitFor("TOOL_DENIED");
    expect(await terminal.exited).toMatchObject({ exitCode: 5 });
    expect(terminal.output()).toContain("typed too early");
  });

  it("is denied without a terminal", async () => {
    expect(await runPiped(await setUp(config()), "call", "tested:echo", "text=hello")).toMatchObject({
      status: 5,
      stderr: expect.stringContaining("NOBODY_TO_ASK") as string,
    });
  });
});

it("a server's text is shown on the terminal without control characters", { meta: { covers: ["A7"] } }, async () => {
  const setup = await setUp({ mcpServers: { tested: scriptedLegacy() } });
  const terminal = runInTerminal(
    setup,
    "call",
    "tested:echo",
    "--args",
    JSON.stringify({ text: "a\u001b[2Jb\u202ec" }),
  );
  await terminal.waitFor("a<U+001B>[2Jb<U+202E>c");
  expect(terminal.output()).not.toContain("\u001b[2J");
});
