/**
 * Lays out the entries of a transcript that are not printed yet: rows to print for good, and rows to show in the frame
 * until they are final. A growing answer keeps only its last rows in the frame, so that the frame stays low. The rows
 * above them are printed, and scroll off like any output. Pure.
 *
 * `scrolled` is the text of a growing answer that is printed already. It is compared without spaces, because the width
 * of the terminal may change.
 */
import { hasTable } from "@plugboard/contracts/markdown";
import type { ChatEntry } from "@plugboard/contracts";
import { plainText } from "../terminal/text.ts";
import type { Text } from "../terminal/text.ts";
import { nextToPrint } from "./state/print-progress.ts";
import type { PrintProgress } from "./state/print-progress.ts";
import { dropVisible } from "./text/wrap-text.ts";
import { renderEntry } from "./view/render-entry.ts";
import type { EntryContext } from "./view/render-entry.ts";

export interface LayoutContext extends EntryContext {
  /** How many rows fit into the frame. */
  readonly room: number;
  /** A call that is left out, because the question on the screen shows it. */
  readonly askedCall?: string | undefined;
}

export interface LaidOutEntries {
  readonly print: readonly Text[];
  readonly live: readonly Text[];
  /**
   * The number of `live` rows at the top that belong to the growing answer. They change only when a mark such as `**`
   * is closed.
   */
  readonly growing: number;
  readonly progress: PrintProgress;
}

/** The rows of a growing answer that stay in the frame, because a mark such as `**` may be closed some rows later. */
const MAX_GROWING_ROWS = 4;

export function layOutEntries(
  entries: readonly ChatEntry[],
  printed: PrintProgress,
  context: LayoutContext,
): LaidOutEntries {
  const { finished, live, progress } = nextToPrint(entries, printed);
  const [first, ...others] = live.filter((entry) => entry.type !== "call" || entry.callId !== context.askedCall);
  const render = (shown: readonly ChatEntry[]) => shown.flatMap((entry) => renderEntry(entry, context));
  // A table is not printed in parts, because its columns may still become wider.
  const isGrowing = first?.type === "answer" && !hasTable(first.text);
  const done = dropScrolled(render(finished), printed.scrolled);
  const growing = dropScrolled(isGrowing ? render([first]) : [], done.scrolled);
  const kept = Math.max(1, Math.min(MAX_GROWING_ROWS, context.room));
  const overflow = growing.rows.slice(0, -kept);
  const shown = growing.rows.slice(-kept);
  return {
    print: [...done.rows, ...overflow],
    live: [...shown, ...render(isGrowing || !first ? others : [first, ...others])],
    growing: shown.length,
    progress: addScrolled({ ...progress, scrolled: growing.dropped }, overflow),
  };
}

/** Records that rows at the start of the growing answer can't be erased any more. */
export function addScrolled(progress: PrintProgress, rows: readonly Text[]): PrintProgress {
  return rows.length === 0 ? progress : { ...progress, scrolled: progress.scrolled + rows.map(visible).join("") };
}

/**
 * Drops the rows that have scrolled off already, and keeps all rows from the first one that differs from `scrolled`.
 * Returns the part of `scrolled` that was found as `dropped`, and the rest, which belongs to later rows, as `scrolled`.
 */
function dropScrolled(
  rows: readonly Text[],
  scrolled: string,
): { readonly rows: readonly Text[]; readonly scrolled: string; readonly dropped: string } {
  let end = 0;
  for (const [index, row] of rows.entries()) {
    if (end === scrolled.length) return { rows: rows.slice(index), scrolled: "", dropped: scrolled };
    const text = visible(row);
    const rest = scrolled.slice(end, end + text.length);
    if (!text.startsWith(rest)) return { rows: rows.slice(index), scrolled: "", dropped: scrolled.slice(0, end) };
    end += rest.length;
    if (rest.length < text.length) {
      const cut = dropVisible(row, Array.from(rest).length);
      return { rows: [cut, ...rows.slice(index + 1)], scrolled: "", dropped: scrolled };
    }
  }
  return { rows: [], scrolled: scrolled.slice(end), dropped: scrolled.slice(0, end) };
}

function visible(row: Text): string {
  return plainText(row).replaceAll(/\s/g, "");
}
