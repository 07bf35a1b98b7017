/**
 * Decides which part of a transcript is complete and can be printed for good, above the part of the screen that is
 * redrawn. Entries are printed in order. Pure.
 */
import { splitComplete } from "@plugboard/contracts/markdown";
import type { ChatEntry } from "@plugboard/contracts";

/** How much of the entries was printed. */
export interface PrintProgress {
  /** The number of entries that are printed completely. */
  readonly entries: number;
  /** The number of printed characters of the next entry, which is an answer that still grows. */
  readonly characters: number;
  /**
   * The text after these characters that is printed too, without spaces. Rows of the growing answer that have left the
   * frame can't be redrawn, so `layOutEntries` and the chat add their text here. The next time, `layOutEntries` leaves
   * these rows out, so that nothing is printed twice.
   */
  readonly scrolled: string;
}

export const NOTHING_PRINTED: PrintProgress = { entries: 0, characters: 0, scrolled: "" };

export interface PrintStep {
  /** To be printed for good. */
  readonly finished: readonly ChatEntry[];
  /** To be shown until they are finished. */
  readonly live: readonly ChatEntry[];
  readonly progress: PrintProgress;
}

/**
 * Returns `scrolled` unchanged, also when the growing answer is finished. The rows of the finished answer begin with
 * this text, so the caller needs it to leave them out.
 */
export function nextToPrint(entries: readonly ChatEntry[], before: PrintProgress): PrintStep {
  const { entries: printed, characters } = before;
  const rest = entries.slice(printed).map((entry, index) => (index === 0 ? withoutStart(entry, characters) : entry));
  const open = rest.findIndex((entry, index) => !isFinished(entry, index === rest.length - 1));
  if (open === -1) {
    return { finished: rest, live: [], progress: { ...before, entries: printed + rest.length, characters: 0 } };
  }
  const finished = rest.slice(0, open);
  const growing = rest[open]!;
  const start = open === 0 ? characters : 0;
  const progress = { ...before, entries: printed + open, characters: start };
  if (growing.type !== "answer") return { finished, live: rest.slice(open), progress };
  const { done, open: remainder } = splitComplete(growing.text);
  return {
    finished: done === "" ? finished : [...finished, { ...growing, text: done }],
    live: [{ ...growing, text: remainder }, ...rest.slice(open + 1)],
    progress: { ...progress, characters: start + done.length },
  };
}

function isFinished(entry: ChatEntry, isLast: boolean): boolean {
  if (entry.type === "call") return entry.result !== undefined;
  return "isDone" in entry && isLast ? entry.isDone : true;
}

function withoutStart(entry: ChatEntry, characters: number): ChatEntry {
  return entry.type === "answer" && characters > 0 ? { ...entry, text: entry.text.slice(characters) } : entry;
}
