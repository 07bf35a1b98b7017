/** Lines typed at the terminal, which is taken only while this is open, so that nothing typed otherwise is swallowed. */
import { createInterface } from "node:readline";
import type { CliContext } from "./cli-context.ts";

export interface TerminalLines {
  /** Rejects with `Unanswered` when no line will come. */
  read(prompt: string): Promise<string>;
  show(text: string): void;
  /** The width of the terminal. */
  readonly columns: number;
  close(): void;
}

export class NoAnswerError extends Error {
  readonly reason: "taken back" | "input ended";

  constructor(why: NoAnswerError["reason"]) {
    super(why);
    this.reason = why;
  }
}

const DEFAULT_COLUMNS = 80;

function terminalColumns({ columns }: Pick<CliContext["stderr"], "columns">): number {
  return columns || DEFAULT_COLUMNS;
}

/** Returns infinity for a pipe, where text is not wrapped. */
export function outputColumns(stdout: CliContext["stdout"]): number {
  return stdout.isTTY ? terminalColumns(stdout) : Infinity;
}

export function openTerminalLines(
  { stdin, stderr }: CliContext,
  settled: AbortSignal,
  interrupt: () => void,
): TerminalLines {
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  let endError: NoAnswerError | undefined;
  let reject: (why: NoAnswerError) => void = () => {};
  const end = (why: NoAnswerError["reason"]) => reject((endError ??= new NoAnswerError(why)));
  const onSettled = () => end("taken back");
  settled.addEventListener("abort", onSettled, { once: true });
  lines.on("close", () => end("input ended"));
  lines.on("SIGINT", interrupt);
  // After Ctrl-Z and `fg` the input stays paused until it is prompted for again.
  lines.on("SIGCONT", () => lines.prompt(true));
  return {
    read: (prompt) =>
      new Promise((resolve, rejected) => {
        reject = rejected;
        if (endError) rejected(endError);
        else lines.question(prompt, resolve);
      }),
    show: (text) => void stderr.write(text),
    columns: terminalColumns(stderr),
    close() {
      settled.removeEventListener("abort", onSettled);
      lines.close();
    },
  };
}
