/** Runs a program in a pseudo-terminal, for tests that type and read the screen. */
import { readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import type { ReadStream } from "node:tty";
import { type IPty, spawn } from "@lydell/node-pty";
import { OutputBuffer } from "../output-buffer.ts";
import { recorderEnv } from "../recorder-env.ts";
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
  output(): string;
  /** Searches the output after the last match. Resolves with the output up to the new match, when the view shows it. */
  waitFor(pattern: RegExp | string, timeoutMs?: number): Promise<string>;
  /** The output as a terminal shows it to a person. */
  readonly view: TerminalScreen;
  /** Resolves with the rows of the view when the condition holds for them. Rejects if the program exits before. */
  waitForView(condition: RegExp | string | ((rows: string) => boolean), timeoutMs?: number): Promise<string>;
  /** Enter is `\r`, Ctrl-C is `\x03`. */
  type(text: string): void;
  /** Changes the size after all output so far has been interpreted, as a real terminal does. */
  resize(cols: number, rows: number): Promise<void>;
  readonly exited: Promise<{ readonly exitCode: number; readonly signal: number | undefined }>;
  kill(): void;
}

export function openTerminal(command: string, args: readonly string[], options: TerminalOptions): Terminal {
  const { cwd, cols = 100, rows = 40 } = options;
  const env = { TERM: "xterm-256color", ...recorderEnv(), ...options.env };
  const pty = spawn(command, [...args], { cwd, cols, rows, env, encoding: null });
  const output = new OutputBuffer();
  const view = new TerminalScreen({ columns: cols, rows });
  let searchedUpTo = 0;
  let exitReason: string | undefined;

  const decoder = new StringDecoder("utf8");
  onBytes(pty, (bytes) => {
    const piece = decoder.write(bytes);
    view.write(piece, () => output.append(piece));
  });
  const exited = new Promise<{ exitCode: number; signal: number | undefined }>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      view.write("", () => {
        exitReason = `the program exited with ${exitCode}`;
        output.close(exitReason);
        resolve({ exitCode, signal });
      });
    });
  });

  return {
    pid: pty.pid,
    output: () => output.text,
    async waitFor(pattern, timeoutMs = 15_000) {
      const start = searchedUpTo;
      searchedUpTo = await output.waitFor(pattern, timeoutMs, start);
      return output.text.slice(start, searchedUpTo);
    },
    view,
    waitForView: (condition, timeoutMs = 15_000) =>
      waitForView(view, condition, { timeoutMs, exitReason: () => exitReason }),
    type: (text) => pty.write(text),
    exited,
    async resize(columns, newRows) {
      await view.allRows();
      view.resize({ columns, rows: newRows });
      pty.resize(columns, newRows);
    },
    kill: () => pty.kill("SIGKILL"),
  };
}

/**
 * Calls the listener with all output of the program. Node ends the stream of a terminal as soon as the program has hung
 * up, although the kernel may still hold some output. So this output is read before the stream is destroyed.
 */
function onBytes(pty: IPty, listener: (bytes: Buffer) => void): void {
  pty.onData((bytes) => listener(bytes as unknown as Buffer));
  const { _socket: socket, fd } = pty as unknown as { readonly _socket: ReadStream; readonly fd: number };
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    if (!socket.destroyed) for (const bytes of bytesLeft(fd)) listener(bytes);
    return destroy(error);
  };
}

function* bytesLeft(fd: number): Generator<Buffer> {
  const buffer = Buffer.alloc(65_536);
  try {
    for (let count = readSync(fd, buffer); count > 0; count = readSync(fd, buffer)) yield buffer.subarray(0, count);
  } catch (error) {
    // EIO: the program has hung up. EAGAIN: a process that it started has the terminal still open.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EIO" && code !== "EAGAIN") throw error;
  }
}

function waitForView(
  view: TerminalScreen,
  condition: RegExp | string | ((rows: string) => boolean),
  { timeoutMs, exitReason }: { timeoutMs: number; exitReason: () => string | undefined },
): Promise<string> {
  const holds = (rows: string) => {
    if (typeof condition === "function") return condition(rows);
    return typeof condition === "string" ? rows.includes(condition) : condition.test(rows);
  };
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      stop();
      finish();
    };
    const fail = (reason: string) => {
      const message = `${reason} before the view showed ${String(condition)}:\n${view.rows.join("\n")}`;
      settle(() => reject(new Error(message)));
    };
    const check = () => {
      const rows = view.rows.join("\n");
      const reason = exitReason();
      if (holds(rows)) settle(() => resolve(rows));
      else if (reason !== undefined) fail(reason);
    };
    const stop = view.onChange(check);
    const timer = setTimeout(() => fail(`${timeoutMs} ms passed`), timeoutMs);
    check();
  });
}
