/** A long list in pages that a model can read: each bounded in number and in size, the next had by its cursor. */
import { HostError } from "@plugboard/contracts";
import type { HostErrorJson, JsonObject, ListedOver, ToolResult } from "@plugboard/contracts";
import { says } from "./answer.ts";

const MAX_ITEMS = 100;
const MAX_CHARACTERS = 40_000;
/** Of what a server says of one item. */
const MAX_DESCRIPTION = 500;

/** Which servers could not be listed is said on every page: the list is not whole without them. */
export function pageItems(
  what: string,
  items: readonly object[],
  { errors }: Pick<ListedOver, "errors">,
  cursor: string | undefined,
): ToolResult {
  const from = readCursor(cursor, items.length);
  const page: JsonObject[] = [];
  let characters = 0;
  for (const item of items.slice(from, from + MAX_ITEMS)) {
    const told = shortened(item as JsonObject);
    characters += JSON.stringify(told).length;
    if (page.length > 0 && characters > MAX_CHARACTERS) break;
    page.push(told);
  }
  const next = from + page.length;
  const failed = Object.entries(errors).map(([server, error]) => [server, said(error)]);
  return says(
    JSON.stringify({
      [what]: page,
      ...(next < items.length && { nextCursor: String(next), total: items.length }),
      ...(failed.length > 0 && { errors: Object.fromEntries(failed) }),
    }),
  );
}

function readCursor(cursor: string | undefined, length: number): number {
  if (cursor === undefined) return 0;
  const from = /^\d+$/.test(cursor) ? Number(cursor) : NaN;
  if (from >= 0 && (from < length || from === 0)) return from;
  throw new HostError("INVALID_ARGUMENTS", { what: '"cursor" must be the "nextCursor" of the page before' });
}

function shortened(item: JsonObject): JsonObject {
  const { description } = item;
  if (typeof description !== "string" || description.length <= MAX_DESCRIPTION) return item;
  return { ...item, description: `${description.slice(0, MAX_DESCRIPTION)}…` };
}

function said({ code, message }: HostErrorJson): string {
  return `${code}: ${message}`;
}
