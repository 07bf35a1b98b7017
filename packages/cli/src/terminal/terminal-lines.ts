/**
 * Reads lines from the terminal, visibly or hidden. Node's line editor writes past `Output`, so prompts are sanitized
 * here. Holds stdin only while open, so that other programs get the rest of the input. On a terminal, a prompt drops
 * what was typed before it: nobody can answer a question that they have not seen.
 */
import { sanitizeLine } from "@plugboard/contracts";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { setImmediate, setTimeout } from "node:timers/promises";
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

/** If no input comes for this time, all input that was typed before the prompt has arrived. */
const QUIET_MS = 20;
const BEGUN_EARLIER = "  You began this line before the question appeared, so it was ignored. Answer again.\n";
/** The terminals on which a line was begun but not finished when a prompt ended. */
const unfinished = new WeakSet<CliContext["stdin"]>();

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
  // Emitted only for lines that were typed while no prompt was shown.
  lines.on("line", () => unfinished.delete(stdin));
  /** Drops what was typed before the prompt. Returns true if the next line was begun then. */
  const dropEarlierInput = async () => {
    if (!stdin.isTTY) return false;
    await waitUntilQuiet(stdin);
    if (!endError && lines.line !== "") {
      unfinished.add(stdin);
      // Ctrl-E moves to the end of the line, and Ctrl-U erases it.
      for (const name of ["e", "u"]) lines.write(null, { ctrl: true, name });
    }
    return unfinished.delete(stdin);
  };
  const ask = async (prompt: string, isHidden: boolean): Promise<string> => {
    const isBegunEarlier = await dropEarlierInput();
    if (endError) throw endError;
    if (isHidden) stderr.write(sanitizeLine(prompt));
    output.isMuted = isHidden;
    const line = await new Promise<string>((resolve) => {
      lines.question(isHidden ? "" : sanitizeLine(prompt), (typed) => {
        output.isMuted = true;
        resolve(typed);
      });
    });
    if (isHidden) stderr.write("\n");
    if (!isBegunEarlier) return line;
    stderr.write(BEGUN_EARLIER);
    return ask(prompt, isHidden);
  };
  const read = (prompt: string, isHidden: boolean) =>
    new Promise<string>((resolve, reject) => {
      rejectRead = reject;
      if (endError) reject(endError);
      else ask(prompt, isHidden).then(resolve, reject);
    });
  return {
    read: (prompt) => read(prompt, false),
    async readHidden(prompt) {
      try {
        return await read(prompt, true);
      } catch (error) {
        stderr.write("\n");
        throw error;
      }
    },
    show: (text) => stderr.write(text),
    columns: stderr.columns,
    close() {
      withdrawn.removeEventListener("abort", onWithdrawn);
      if (stdin.isTTY && lines.line !== "") unfinished.add(stdin);
      lines.close();
      resumeLiveLine();
    },
  };
}

async function waitUntilQuiet(stdin: CliContext["stdin"]): Promise<void> {
  let isQuiet = false;
  const onData = () => (isQuiet = false);
  stdin.on("data", onData);
  while (!isQuiet) {
    isQuiet = true;
    await setTimeout(QUIET_MS);
    // A busy process may not have read its input during the delay. After this, it has.
    await setImmediate();
  }
  stdin.off("data", onData);
}

/** Passes text on to the terminal, except while it is muted. */
class MutableOutput extends Writable {
  isMuted = true;
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
