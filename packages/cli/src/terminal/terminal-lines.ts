/**
 * Reads lines from the terminal, visibly or hidden. The line editor writes past `Output`, so prompts are sanitized here.
 * Holds stdin only while open, so that other programs get the rest of the input.
 */
import { sanitizeLine } from "@plugboard/contracts";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { CliContext } from "./cli-context.ts";
import type { OutputStream } from "./output.ts";

export interface TerminalLines {
  /** Rejects with `NoAnswerError` when the question is withdrawn or the input ends. */
  read(prompt: string): Promise<string>;
  /** Reads a line without showing what the user types. */
  readHidden(prompt: string): Promise<string>;
  show(text: string): void;
  /** The width of the terminal. */
  readonly columns: number;
  close(): void;
}

export class NoAnswerError extends Error {
  readonly reason: "withdrawn" | "input ended";

  constructor(reason: NoAnswerError["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

/** `withdrawn` aborts when no answer is needed any more. `interrupt` is called on Ctrl-C. */
export function openTerminalLines(
  { stdin, stderr, liveLine }: Pick<CliContext, "stdin" | "stderr" | "liveLine">,
  withdrawn: AbortSignal,
  interrupt: () => void,
): TerminalLines {
  const resumeLiveLine = liveLine.pause();
  const output = new MutableOutput(stderr.stream);
  // Without a history, the arrow keys can't bring back a hidden line.
  const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  let endError: NoAnswerError | undefined;
  let rejectRead: (error: NoAnswerError) => void = () => {};
  const end = (reason: NoAnswerError["reason"]) => rejectRead((endError ??= new NoAnswerError(reason)));
  const onWithdrawn = () => end("withdrawn");
  withdrawn.addEventListener("abort", onWithdrawn, { once: true });
  lines.on("close", () => end("input ended"));
  lines.on("SIGINT", interrupt);
  // After Ctrl-Z and `fg`, the input stays paused until the next prompt.
  lines.on("SIGCONT", () => lines.prompt(true));
  const read = (prompt: string) =>
    new Promise<string>((resolve, reject) => {
      rejectRead = reject;
      if (endError) reject(endError);
      else lines.question(sanitizeLine(prompt), resolve);
    });
  return {
    read,
    async readHidden(prompt) {
      stderr.write(sanitizeLine(prompt));
      output.isMuted = true;
      try {
        return await read("");
      } finally {
        output.isMuted = false;
        stderr.write("\n");
      }
    },
    show: (text) => stderr.write(text),
    columns: stderr.columns,
    close() {
      withdrawn.removeEventListener("abort", onWithdrawn);
      lines.close();
      resumeLiveLine();
    },
  };
}

/** Passes text on to the terminal, except while it is muted. */
class MutableOutput extends Writable {
  isMuted = false;
  readonly #stream: OutputStream;

  constructor(stream: OutputStream) {
    super({ decodeStrings: false });
    this.#stream = stream;
  }

  /** The line editor wraps long lines at this column. */
  get columns(): number {
    return this.#stream.columns ?? 0;
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    if (!this.isMuted) this.#stream.write(chunk);
    done();
  }
}
