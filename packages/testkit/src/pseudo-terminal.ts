/** Runs a program in a pseudo-terminal, for tests that type and read the screen. */
import { spawn } from "@lydell/node-pty";
import { OutputBuffer } from "./output-buffer.ts";
import { recorderEnv } from "./recorder-env.ts";

export interface TerminalOptions {
  /** The program's whole environment, except TERM and the variables of the frame recorder. */
  readonly env: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly cols?: number;
}

export interface Terminal {
  readonly pid: number;
  /** All output so far, including escape sequences. */
  screen(): string;
  /** Searches after the last match. Resolves with the output from there to the end of the new match. */
  waitFor(pattern: RegExp | string, timeoutMs?: number): Promise<string>;
  /** Enter is `\r`, Ctrl-C is `\x03`. */
  type(text: string): void;
  resize(cols: number, rows: number): void;
  readonly exited: Promise<{ readonly exitCode: number; readonly signal: number | undefined }>;
  kill(): void;
}

export function openTerminal(command: string, args: readonly string[], options: TerminalOptions): Terminal {
  const { cwd, cols = 100 } = options;
  const env = { TERM: "xterm-256color", ...recorderEnv(), ...options.env };
  const pty = spawn(command, [...args], { cwd, cols, rows: 40, env });
  const output = new OutputBuffer();
  let searchedUpTo = 0;

  pty.onData((piece) => output.append(piece));
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
    type: (text) => pty.write(text),
    exited,
    resize: (cols, rows) => pty.resize(cols, rows),
    kill: () => pty.kill("SIGKILL"),
  };
}
