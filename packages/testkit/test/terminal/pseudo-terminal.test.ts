import { openTerminal, type Terminal } from "@plugboard/testkit/terminal/pseudo-terminal";
import { afterEach, expect, it } from "vitest";

let terminal: Terminal | undefined;
afterEach(() => terminal?.kill());

function open(script: string, cols = 100): Terminal {
  terminal = openTerminal(process.execPath, ["-e", script], { env: {}, cwd: process.cwd(), cols });
  return terminal;
}

const greeter = `
  const { createInterface } = require("node:readline");
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  lines.question("name? ", (name) => lines.question("name? ", (other) => {
    console.log("\\x1b[1mhello " + name + " and " + other + "\\x1b[0m");
    process.exit(4);
  }));
`;

it("openTerminal reads a prompt, types the answer and reports the exit", async () => {
  const program = open(greeter);
  const prompt = /name\? /g;
  await program.waitFor(prompt);
  program.type("Ada\r");
  expect(await program.waitFor(prompt)).toContain("Ada");
  program.type("Bob\r");
  await program.waitFor(/hello (\w+) and (\w+)/);
  expect(await program.exited).toMatchObject({ exitCode: 4 });
  expect(program.output()).toContain("\x1b[1mhello Ada and Bob");
});

it("openTerminal gives the program a real terminal of the given width", async () => {
  const program = open("console.log([process.stdout.isTTY, process.stdout.columns, process.env.TERM].join(' '))", 77);
  await program.waitFor("true 77 xterm-256color");
});

it("openTerminal shows a text in the view as soon as a wait has found it", async () => {
  const program = open("process.stdout.write('text'); setTimeout(() => {}, 60_000)");
  await program.waitFor("text");
  expect(program.view.rows[0]).toBe("text");
});

it("openTerminal searches only the output after the last match", async () => {
  const program = open("process.stdout.write('once'); setTimeout(() => {}, 60_000)");
  await program.waitFor("once");
  await expect(program.waitFor("once", 50)).rejects.toThrow(/50 ms passed before once appeared[^]*once$/);
});

it("openTerminal fails a wait, and shows the output so far, when the program exits", async () => {
  const program = open("console.log('last words'); process.exitCode = 3");
  await expect(program.waitFor("never")).rejects.toThrow(/exited with 3 before never appeared[^]*last words/);
});

it("openTerminal waits until the view shows a text, and its error has the view if that never happens", async () => {
  const program = open("process.stdout.write('old\\rnew'); setTimeout(() => {}, 60_000)");
  expect(await program.waitForView("new")).toMatch(/^new\n/);
  await expect(program.waitForView("old", 50)).rejects.toThrow(/50 ms passed before the view showed old:\nnew/);
});

it("openTerminal fails a wait for the view when the program exits, unless the view shows the text", async () => {
  const program = open("console.log('last words'); process.exitCode = 3");
  await expect(program.waitForView("never")).rejects.toThrow(/exited with 3 before the view showed never:\nlast words/);
  expect(await program.waitForView("last words")).toMatch(/^last words\n/);
});

it("openTerminal returns output written just before the program exits", async () => {
  terminal = openTerminal("bash", ["-c", "printf 'é%.0s' {1..40000}; echo end"], { env: {}, cwd: process.cwd() });
  await terminal.exited;
  expect(terminal.output()).toBe(`${"é".repeat(40_000)}end\r\n`);
});
