/** Tests the line editor in a real pseudo-terminal. */
import { describe, expect, it } from "vitest";
import { programInTerminal, setUp } from "../helpers/run-plugboard.ts";

const moduleUrl = (path: string) => new URL(`../../dist/${path}`, import.meta.url).href;

/** A program that asks twice with a hostile prompt: visibly, then hidden. */
const PROGRAM = `
import { makeCliContext } from ${JSON.stringify(moduleUrl("terminal/cli-context.js"))};
import { openTerminalLines } from ${JSON.stringify(moduleUrl("terminal/terminal-lines.js"))};
const prompt = JSON.parse(process.argv[1]);
const { stdin, stdout, stderr, env } = process;
const cli = makeCliContext({ cwd: "/", env, stdin, stdout, stderr, openUrl: async () => {}, exit: () => {} });
const lines = openTerminalLines(cli, new AbortController().signal, () => {});
const answers = [await lines.read(prompt), await lines.readHidden(prompt)];
lines.close();
console.log(JSON.stringify(answers));
`;

describe("openTerminalLines", () => {
  it("shows the control characters of a prompt as text", { meta: { covers: ["A7"] } }, async () => {
    const prompt = "name\n\u001b[2J\u001b]0;x\u0007\u009b1m\r\u202e\u200b\u{e0041}: ";
    const shown = "name⏎<U+001B>[2J<U+001B>]0;x<U+0007><U+009B>1m<U+000D><U+202E><U+200B><U+E0041>: ";
    const args = ["--input-type=module", "--eval", PROGRAM, JSON.stringify(prompt)];
    const terminal = programInTerminal(await setUp(), process.execPath, args);
    await terminal.waitFor(shown);
    terminal.type("first\r");
    await terminal.waitFor(shown);
    terminal.type("second\r");
    await terminal.waitFor('["first","second"]');
    expect(await terminal.exited).toMatchObject({ exitCode: 0 });
    for (const part of ["\u001b[2J", "\u001b]0;", "\u009b", "\u202e", "\u200b", "\u{e0041}"])
      expect(terminal.output()).not.toContain(part);
  });
});
