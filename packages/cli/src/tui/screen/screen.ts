/** The terminal as the chat uses it: rows that are printed for good, and a frame below them that is redrawn. */
import type { Text } from "../../terminal/text.ts";

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** Prints rows for good, above the frame, when the frame is drawn the next time. */
  print(rows: readonly Text[]): void;
  /** Replaces the frame. */
  draw(frame: Frame): void;
  /** Removes the frame until it is drawn again. */
  hide(): void;
  /** Removes the frame for good. */
  close(): void;
}

export interface Frame {
  readonly rows: readonly Text[];
  /** Where the cursor is shown. Without it, the cursor is hidden. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}
