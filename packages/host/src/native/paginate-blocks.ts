/**
 * Splits content blocks into pages that fit into a model's context. Text is cut at the end of a page and continues on
 * the next. Other blocks are passed whole, or left out with a note if they are too large for any page.
 */
import { HostError, isText } from "@plugboard/contracts";
import type { ContentBlock, ToolResult } from "@plugboard/contracts";

const MAX_TEXT_CHARS = 40_000;
/** The limit for images, audio and other data of one page, as JSON. */
const MAX_DATA_CHARS = 4 * 1024 * 1024;

interface BlockPosition {
  readonly block: number;
  readonly character: number;
}

export function paginateBlocks(blocks: readonly ContentBlock[], cursor: string | undefined): ToolResult {
  const content: ContentBlock[] = [];
  let { block, character } = readCursor(cursor, blocks);
  let [text, data] = [MAX_TEXT_CHARS, MAX_DATA_CHARS];
  for (; block < blocks.length; block++, character = 0) {
    const current = blocks[block]!;
    if (isText(current)) {
      if (text === 0) break;
      const end = safeEnd(current.text, character + text);
      const isWhole = character === 0 && end === current.text.length;
      content.push(isWhole ? current : { ...current, text: current.text.slice(character, end) });
      text -= end - character;
      if (end < current.text.length) {
        character = end;
        break;
      }
      continue;
    }
    const size = JSON.stringify(current).length;
    if (size > MAX_DATA_CHARS) content.push({ type: "text", text: `[Left out: this part has ${size} characters.]` });
    else if (size > data) break;
    else content.push(current);
    if (size <= MAX_DATA_CHARS) data -= size;
  }
  if (block >= blocks.length) return { content };
  const more = `[There is more. To get the next page, call this tool again with the cursor "${block}:${character}".]`;
  return { content: [...content, { type: "text", text: more }] };
}

function readCursor(cursor: string | undefined, blocks: readonly ContentBlock[]): BlockPosition {
  if (cursor === undefined) return { block: 0, character: 0 };
  const [, block = NaN, character = NaN] = (/^(\d+):(\d+)$/.exec(cursor) ?? []).map(Number);
  const one = blocks[block];
  if (one && (character === 0 || (isText(one) && character < one.text.length))) return { block, character };
  throw new HostError("INVALID_ARGUMENTS", { reason: '"cursor" must be the cursor that the previous page ends with' });
}

/** Moves the end back if it would split a surrogate pair. */
function safeEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
