/**
 * A long content in pages that a model can read. Text is cut where a page is
 * full and goes on in the next; everything else is passed whole, or described
 * if it alone is too much.
 */
import { HostError, isText } from "@plugboard/contracts";
import type { ContentBlock, ToolResult } from "@plugboard/contracts";

const MAX_TEXT_CHARS = 40_000;
/** Of what is no text, over a whole page, as it travels. */
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
    const one = blocks[block]!;
    if (isText(one)) {
      if (text === 0) break;
      const end = safeEnd(one.text, character + text);
      content.push(character === 0 && end === one.text.length ? one : { ...one, text: one.text.slice(character, end) });
      text -= end - character;
      if (end < one.text.length) {
        character = end;
        break;
      }
      continue;
    }
    const size = JSON.stringify(one).length;
    if (size > MAX_DATA_CHARS) content.push({ type: "text", text: `[Left out: it takes ${size} characters.]` });
    else if (size > data) break;
    else content.push(one);
    if (size <= MAX_DATA_CHARS) data -= size;
  }
  if (block >= blocks.length) return { content };
  const more = `[There is more. To get it, call this again with the cursor "${block}:${character}".]`;
  return { content: [...content, { type: "text", text: more }] };
}

function readCursor(cursor: string | undefined, blocks: readonly ContentBlock[]): BlockPosition {
  if (cursor === undefined) return { block: 0, character: 0 };
  const [, block = NaN, character = NaN] = (/^(\d+):(\d+)$/.exec(cursor) ?? []).map(Number);
  const one = blocks[block];
  if (one && (character === 0 || (isText(one) && character < one.text.length))) return { block, character };
  throw new HostError("INVALID_ARGUMENTS", { reason: '"cursor" must be the one that the page before ends with' });
}

/** Not in the middle of a character that takes two. */
function safeEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
