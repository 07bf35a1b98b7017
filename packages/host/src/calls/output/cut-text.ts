/** Cuts a text to a number of UTF-8 bytes. Does not cut within a character, such as an emoji of several code points. */
export interface CutText {
  readonly text: string;
  readonly bytes: number;
}

export function cutText(text: string, maxBytes: number): CutText {
  // A character takes at least one byte, so the rest of the text is not needed.
  const head = Buffer.from(text.slice(0, maxBytes + 1));
  if (head.length <= maxBytes) return { text, bytes: head.length };
  let end = Math.max(maxBytes, 0);
  while (isContinuation(head[end])) end -= 1;
  const fitting = head.toString("utf8", 0, end);
  const whole = fitting.slice(0, lastBoundary(text, fitting.length));
  return { text: whole, bytes: Buffer.byteLength(whole) };
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

/** How far from the cut to look for a boundary between characters. Only a longer cluster of code points is cut. */
const SEGMENT_WINDOW = 64;

/** Returns the start of the character that contains the index. */
function lastBoundary(text: string, index: number): number {
  const from = Math.max(0, index - SEGMENT_WINDOW);
  const segment = new Intl.Segmenter().segment(text.slice(from, index + SEGMENT_WINDOW)).containing(index - from);
  const start = from + (segment?.index ?? index - from);
  // A cluster that fills the window may have started before it.
  return start > from || from === 0 ? start : index;
}
