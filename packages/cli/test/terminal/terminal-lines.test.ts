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

/**
 * A program that withdraws the open question on SIGHUP. On SIGUSR2, it withdraws the question and asks the next one.
 */
const ASKS_ON_SIGNAL = `
import { makeCliContext } from ${JSON.stringify(moduleUrl("terminal/cli-context.js"))};
import { openTerminalLines } from ${JSON.stringify(moduleUrl("terminal/terminal-lines.js"))};
const { stdin, stdout, stderr, env } = process;
const cli = makeCliContext({ cwd: "/", env, stdin, stdout, stderr, openUrl: async () => {}, exit: () => {} });
let count = 0;
let withdrawn = new AbortController();
let last = Promise.resolve();
const keepAlive = setInterval(() => {}, 1000);
process.on("SIGHUP", () => withdrawn.abort());
process.on("SIGUSR2", () => {
  withdrawn.abort();
  withdrawn = new AbortController();
  const { signal } = withdrawn;
  last = last.then(async () => {
    const lines = openTerminalLines(cli, signal, () => process.exit(130));
    try {
      const answer = await lines.read("question " + ++count + ": ");
      console.log("answer " + count + " is " + JSON.stringify(answer));
      clearInterval(keepAlive);
    } catch (error) {
      console.log("no answer: " + error.reason);
    } finally {
      lines.close();
    }
  });
});
console.log("ready");
`;

async function startAsking() {
  const terminal = programInTerminal(await setUp(), process.execPath, [
    "--input-type=module",
    "--eval",
    ASKS_ON_SIGNAL,
  ]);
  await terminal.waitFor("ready");
  const send = (signal: NodeJS.Signals) => () => process.kill(terminal.pid, signal);
  return { ...terminal, ask: send("SIGUSR2"), withdraw: send("SIGHUP") };
}

const BEGUN_EARLIER = "You began this line before the question appeared, so it was ignored. Answer again.";

describe("input that was typed before a prompt on the terminal", () => {
  it("is not taken as the answer if whole lines were typed", async () => {
    const { type, waitFor, ask, exited } = await startAsking();
    type("early\r");
    // The terminal itself echoes the line, so it has arrived.
    await waitFor("early");
    ask();
    await waitFor("question 1: ");
    type("late\r");
    await waitFor('answer 1 is "late"');
    expect(await exited).toMatchObject({ exitCode: 0 });
  });

  it("does not become part of the answer if a line was begun, nor does the rest of that line", async () => {
    const { type, waitFor, ask, exited } = await startAsking();
    type("ye");
    await waitFor("ye");
    ask();
    await waitFor("question 1: ");
    type("s\r");
    await waitFor(BEGUN_EARLIER);
    await waitFor("question 1: ");
    type("n\r");
    await waitFor('answer 1 is "n"');
    expect(await exited).toMatchObject({ exitCode: 0 });
  });

  it("does not answer the next question if its line was begun at a question that was withdrawn", async () => {
    const { type, waitFor, ask, exited } = await startAsking();
    ask();
    await waitFor("question 1: ");
    type("ye");
    await waitFor("ye");
    ask();
    await waitFor("no answer: withdrawn");
    await waitFor("question 2: ");
    type("s\r");
    await waitFor(BEGUN_EARLIER);
    await waitFor("question 2: ");
    type("n\r");
    await waitFor('answer 2 is "n"');
    expect(await exited).toMatchObject({ exitCode: 0 });
  });
});

it("after a line that was finished before a prompt on the terminal, the next line is not ignored", async () => {
  const { type, waitFor, ask, withdraw, exited } = await startAsking();
  ask();
  await waitFor("question 1: ");
  type("ye");
  await waitFor("ye");
  withdraw();
  await waitFor("no answer: withdrawn");
  type("x\r");
  await waitFor("x\r\n");
  ask();
  await waitFor("question 2: ");
  type("n\r");
  await waitFor('answer 2 is "n"');
  expect(await exited).toMatchObject({ exitCode: 0 });
});

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
