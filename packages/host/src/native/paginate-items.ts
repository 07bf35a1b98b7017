/** Splits a list into pages that fit into a model's context. Each page except the last has a cursor for the next. */
import { HostError } from "@plugboard/contracts";
import type { JsonObject, MultiServerList, ToolResult } from "@plugboard/contracts";
import { textToolResult } from "../tools/native-result.ts";

const MAX_ITEMS = 100;
const MAX_CHARACTERS = 40_000;
const MAX_DESCRIPTION_CHARS = 500;

/** Returns the page at the cursor as JSON. Every page names the servers that could not be listed. */
export function paginateItems(
  key: string,
  items: readonly object[],
  { errors }: Pick<MultiServerList, "errors">,
  cursor: string | undefined,
): ToolResult {
  const start = readCursor(cursor, items.length);
  const page: JsonObject[] = [];
  let characters = 0;
  for (const item of items.slice(start, start + MAX_ITEMS)) {
    const entry = withShortDescription(item as JsonObject);
    characters += JSON.stringify(entry).length;
    if (page.length > 0 && characters > MAX_CHARACTERS) break;
    page.push(entry);
  }
  const next = start + page.length;
  const failed = Object.entries(errors).map(([server, { code, message }]) => [server, `${code}: ${message}`]);
  return textToolResult(
    JSON.stringify({
      [key]: page,
      ...(next < items.length && { nextCursor: String(next), total: items.length }),
      ...(failed.length > 0 && { errors: Object.fromEntries(failed) }),
    }),
  );
}

function readCursor(cursor: string | undefined, length: number): number {
  if (cursor === undefined) return 0;
  const start = /^\d+$/.test(cursor) ? Number(cursor) : NaN;
  if (start === 0 || start < length) return start;
  throw new HostError("INVALID_ARGUMENTS", { reason: '"cursor" must be the "nextCursor" of the previous page' });
}

function withShortDescription(item: JsonObject): JsonObject {
  const { description } = item;
  if (typeof description !== "string" || description.length <= MAX_DESCRIPTION_CHARS) return item;
  return { ...item, description: `${description.slice(0, MAX_DESCRIPTION_CHARS)}…` };
}
