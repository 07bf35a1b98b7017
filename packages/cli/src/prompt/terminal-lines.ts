/** Lines typed at the terminal, which is taken only while this is open, so that nothing typed otherwise is swallowed. */
import { createInterface } from "node:readline";
import type { Surroundings } from "../surroundings.ts";

export interface TerminalLines {
  /** Rejects with `Unanswered` when no line will come. */
  read(prompt: string): Promise<string>;
  show(text: string): void;
  /** The width of the terminal. */
  readonly columns: number;
  close(): void;
}

export class Unanswered extends Error {
  readonly why: "taken back" | "input ended";

  constructor(why: Unanswered["why"]) {
    super(why);
    this.why = why;
  }
}

const USUAL_COLUMNS = 80;

function columnsOf({ columns }: Pick<Surroundings["stderr"], "columns">): number {
  return columns || USUAL_COLUMNS;
}

/** Returns infinity for a pipe, where text is not wrapped. */
export function columnsOfOutput(stdout: Surroundings["stdout"]): number {
  return stdout.isTTY ? columnsOf(stdout) : Infinity;
}

export function openTerminalLines(
  { stdin, stderr }: Surroundings,
  gone: AbortSignal,
  interrupt: () => void,
): TerminalLines {
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  let over: Unanswered | undefined;
  let reject: (why: Unanswered) => void = () => {};
  const end = (why: Unanswered["why"]) => reject((over ??= new Unanswered(why)));
  const takeBack = () => end("taken back");
  gone.addEventListener("abort", takeBack, { once: true });
  lines.on("close", () => end("input ended"));
  lines.on("SIGINT", interrupt);
  // After Ctrl-Z and `fg` the input stays paused until it is prompted for again.
  lines.on("SIGCONT", () => lines.prompt(true));
  return {
    read: (prompt) =>
      new Promise((resolve, rejected) => {
        reject = rejected;
        if (over) rejected(over);
        else lines.question(prompt, resolve);
      }),
    show: (text) => void stderr.write(text),
    columns: columnsOf(stderr),
    close() {
      gone.removeEventListener("abort", takeBack);
      lines.close();
    },
  };
}
