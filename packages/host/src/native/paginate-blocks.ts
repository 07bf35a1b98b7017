/**
 * Splits content blocks into pages that fit into a model's context. Text is cut at the end of a page and continues on
 * the next. Other blocks are passed whole, or left out with a note if they are too large for any page.
 */
import { HostError, isText } from "@plugboard/contracts";
import type { ContentBlock, ToolResult } from "@plugboard/contracts";

const MAX_TEXT_CHARS = 40_000;
/** The limit for images, audio and other data of one page, as JSON. */
const MAX_DATA_CHARS = 4 * 1024 * 1024;

/** The position where a page starts. A cursor is this position, written as `block:character`. */
interface BlockPosition {
  readonly block: number;
  readonly character: number;
}

export function paginateBlocks(blocks: readonly ContentBlock[], cursor: string | undefined): ToolResult {
  const content: ContentBlock[] = [];
  let { block, character } = readCursor(cursor, blocks);
  let textCharsLeft = MAX_TEXT_CHARS;
  let dataCharsLeft = MAX_DATA_CHARS;
  for (; block < blocks.length; block++, character = 0) {
    const current = blocks[block]!;
    if (isText(current)) {
      if (textCharsLeft === 0) break;
      const end = safeEnd(current.text, character + textCharsLeft);
      const isWhole = character === 0 && end === current.text.length;
      content.push(isWhole ? current : { ...current, text: current.text.slice(character, end) });
      textCharsLeft -= end - character;
      if (end === current.text.length) continue;
      character = end;
      break;
    }
    const size = JSON.stringify(current).length;
    if (size > MAX_DATA_CHARS) {
      content.push({ type: "text", text: `[Left out: this part has ${size} characters.]` });
      continue;
    }
    if (size > dataCharsLeft) break;
    content.push(current);
    dataCharsLeft -= size;
  }
  if (block >= blocks.length) return { content };
  const more = `[There is more. To get the next page, call this tool again with the cursor "${block}:${character}".]`;
  return { content: [...content, { type: "text", text: more }] };
}

function readCursor(cursor: string | undefined, blocks: readonly ContentBlock[]): BlockPosition {
  if (cursor === undefined) return { block: 0, character: 0 };
  const [, block = NaN, character = NaN] = (/^(\d+):(\d+)$/.exec(cursor) ?? []).map(Number);
  const start = blocks[block];
  if (start && (character === 0 || (isText(start) && character < start.text.length))) return { block, character };
  throw new HostError("INVALID_ARGUMENTS", { reason: '"cursor" must be the cursor that the previous page ends with' });
}

/** Moves the end back if it would split a surrogate pair. */
function safeEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
