/** Runs a program in a pseudo-terminal, for tests that type and read the screen. */
import { spawn } from "@lydell/node-pty";
import { OutputBuffer } from "./output-buffer.ts";
import { recorderEnv } from "./recorder-env.ts";
import { TerminalScreen } from "./terminal-screen.ts";

export interface TerminalOptions {
  /** The program's whole environment, except TERM and the variables of the frame recorder. */
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly cols?: number;
  readonly rows?: number;
}

export interface Terminal {
  readonly pid: number;
  /** All output so far, including escape sequences. */
  screen(): string;
  /** Searches after the last match. Resolves with the output from there to the end of the new match. */
  waitFor(pattern: RegExp | string, timeoutMs?: number): Promise<string>;
  /** What a person sees: the output as a terminal shows it. */
  readonly view: TerminalScreen;
  /** Resolves with the rows of the view when the condition holds for them. */
  waitForView(condition: RegExp | string | ((rows: string) => boolean), timeoutMs?: number): Promise<string>;
  /** Enter is `\r`, Ctrl-C is `\x03`. */
  type(text: string): void;
  resize(cols: number, rows: number): void;
  readonly exited: Promise<{ readonly exitCode: number; readonly signal: number | undefined }>;
  kill(): void;
}

export function openTerminal(command: string, args: readonly string[], options: TerminalOptions): Terminal {
  const { cwd, cols = 100, rows = 40 } = options;
  const env = { TERM: "xterm-256color", ...recorderEnv(), ...options.env };
  const pty = spawn(command, [...args], { cwd, cols, rows, env });
  const output = new OutputBuffer();
  const view = new TerminalScreen({ columns: cols, rows });
  let searchedUpTo = 0;

  pty.onData((piece) => {
    output.append(piece);
    view.write(piece);
  });
  const exited = new Promise<{ exitCode: number; signal: number | undefined }>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      output.close(`the program exited with ${exitCode}`);
      resolve({ exitCode, signal });
    });
  });

  return {
    pid: pty.pid,
    screen: () => output.text,
    async waitFor(pattern, timeoutMs = 15_000) {
      const start = searchedUpTo;
      searchedUpTo = await output.waitFor(pattern, timeoutMs, start);
      return output.text.slice(start, searchedUpTo);
    },
    view,
    waitForView: (condition, timeoutMs = 15_000) => waitForView(view, condition, timeoutMs),
    type: (text) => pty.write(text),
    exited,
    resize(columns, newRows) {
      view.resize({ columns, rows: newRows });
      pty.resize(columns, newRows);
    },
    kill: () => pty.kill("SIGKILL"),
  };
}

function waitForView(
  view: TerminalScreen,
  condition: RegExp | string | ((rows: string) => boolean),
  timeoutMs: number,
): Promise<string> {
  const holds = (rows: string) => {
    if (typeof condition === "function") return condition(rows);
    return typeof condition === "string" ? rows.includes(condition) : condition.test(rows);
  };
  return new Promise((resolve, reject) => {
    const check = () => {
      const rows = view.rows.join("\n");
      if (!holds(rows)) return;
      clearTimeout(timer);
      stop();
      resolve(rows);
    };
    const stop = view.onChange(check);
    const timer = setTimeout(() => {
      stop();
      reject(new Error(`${timeoutMs} ms passed before the view showed ${String(condition)}:\n${view.rows.join("\n")}`));
    }, timeoutMs);
    check();
  });
}
