/** Cuts long lists into pages. Most clients read only the first page, so pages are large. */
import type { Json, JsonObject } from "@plugboard/contracts";
import { outwardCursor, parseOutwardCursor } from "@plugboard/host/forwarding";
import type { Outcome } from "@plugboard/mcp";
import { invalidParams } from "./peer-failure.ts";

const PAGE_SIZE = 5000;

export interface ListedPage {
  readonly method: string;
  /** The key of the items in the result. */
  readonly key: string;
  readonly cursor?: string | undefined;
  /** Further fields of the result. */
  readonly extra?: JsonObject;
}

export function pageOutcome(items: readonly Json[], { method, key, cursor, extra }: ListedPage): Outcome {
  const offset = cursor === undefined ? 0 : parseOutwardCursor(key, cursor);
  if (offset === undefined) return invalidParams(method, "The cursor is invalid");
  const end = offset + PAGE_SIZE;
  return {
    type: "complete",
    result: {
      ...extra,
      [key]: items.slice(offset, end),
      ...(end < items.length && { nextCursor: outwardCursor(key, end) }),
    },
  };
}
