/** Reads lines from the terminal. Holds stdin only while open, so that other programs get the rest of the input. */
import { createInterface } from "node:readline";
import type { CliContext } from "./cli-context.ts";

export interface TerminalLines {
  /** Rejects with `NoAnswerError` when the question is withdrawn or the input ends. */
  read(prompt: string): Promise<string>;
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
  const lines = createInterface({ input: stdin, output: stderr.stream, terminal: true });
  let endError: NoAnswerError | undefined;
  let rejectRead: (error: NoAnswerError) => void = () => {};
  const end = (reason: NoAnswerError["reason"]) => rejectRead((endError ??= new NoAnswerError(reason)));
  const onWithdrawn = () => end("withdrawn");
  withdrawn.addEventListener("abort", onWithdrawn, { once: true });
  lines.on("close", () => end("input ended"));
  lines.on("SIGINT", interrupt);
  // After Ctrl-Z and `fg`, the input stays paused until the next prompt.
  lines.on("SIGCONT", () => lines.prompt(true));
  return {
    read: (prompt) =>
      new Promise((resolve, reject) => {
        rejectRead = reject;
        if (endError) reject(endError);
        else lines.question(prompt, resolve);
      }),
    show: (text) => stderr.write(text),
    columns: stderr.columns,
    close() {
      withdrawn.removeEventListener("abort", onWithdrawn);
      lines.close();
      resumeLiveLine();
    },
  };
}
