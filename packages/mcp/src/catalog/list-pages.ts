/**
 * Fetches all pages of a server's list, within limits. Drops unusable items with a reason and keeps the others. A list
 * beyond the limits is truncated.
 */
import { HostError, steadyNow } from "@plugboard/contracts";
import type { JsonObject, Clock } from "@plugboard/contracts";
import type { Op } from "../session/op.ts";
import type { Outcome } from "../session/outcome.ts";
import type { CallContext } from "../session/session.ts";
import { DroppedItems } from "../wire/dropped-items.ts";
import type { DroppedItem } from "../wire/dropped-items.ts";

export interface ListKind<Item> {
  readonly method: "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list" | "skills/list";
  /** The key of the items in a page. Also names the items in messages. */
  readonly key: string;
  /** Returns the identifier of an item, which must be unique in the list. */
  readonly idOf: (item: Item) => string;
  readonly parsePage: (result: JsonObject) => Page<Item> | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly dropped: readonly DroppedItem[];
  /** The number of dropped items that `dropped` does not name. */
  readonly unnamedCount?: number | undefined;
}

export interface ListResult<Item> {
  readonly items: readonly Item[];
  readonly dropped: readonly DroppedItem[];
  /** How long the list is valid, by the server's word. */
  readonly ttlMs?: number;
}

export interface ListContext<Item> {
  readonly server: string;
  readonly clock: Clock;
  /** Its `maxMs` limits the time for all pages together. */
  readonly ctx: CallContext;
  readonly request: (op: Op, ctx: CallContext) => Promise<Outcome>;
  /** Returns why a well-formed item is unusable, or undefined if it is usable. */
  readonly unusableReason?: (item: Item) => string | undefined;
}

const MAX_PAGES = 100;
const MAX_ITEMS = 10_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;

export async function listPages<Item>(kind: ListKind<Item>, context: ListContext<Item>): Promise<ListResult<Item>> {
  const { clock, ctx, unusableReason = () => undefined } = context;
  const deadline = steadyNow(clock) + ctx.maxMs;
  const collector = new PageCollector(kind, unusableReason);
  let cursor: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page++) {
    const leftMs = deadline - steadyNow(clock);
    if (leftMs <= 0) return collector.truncated(`${ctx.maxMs} ms`);
    const result = await requestPage(kind, context, cursor, leftMs);
    const limit = collector.add(requirePage(kind, result, context.server), result["ttlMs"]);
    if (limit !== undefined) return collector.truncated(limit);
    const { nextCursor } = result;
    // An empty cursor would request the first page again.
    if (typeof nextCursor !== "string" || nextCursor === "") return collector.result;
    cursor = nextCursor;
  }
  return collector.truncated(`${MAX_PAGES} pages`);
}

async function requestPage<Item>(
  { method }: ListKind<Item>,
  { ctx, request, server }: ListContext<Item>,
  cursor: string | undefined,
  maxMs: number,
): Promise<JsonObject> {
  const params = cursor === undefined ? {} : { cursor };
  const op: Op = method === "skills/list" ? { method: "extension", params: { method, params } } : { method, params };
  const outcome = await request(op, { ...ctx, maxMs });
  if (outcome.type === "failed") throw outcome.error;
  if (outcome.type === "complete") return outcome.result;
  throw new HostError("UNEXPECTED_RESPONSE", { server, reason: `${method} is answered with a question` });
}

function requirePage<Item>({ method, key, parsePage }: ListKind<Item>, result: JsonObject, server: string): Page<Item> {
  const page = parsePage(result);
  if (!page) throw new HostError("UNEXPECTED_RESPONSE", { server, reason: `${method} has no list of "${key}"` });
  return page;
}

class PageCollector<Item> {
  readonly #kind: ListKind<Item>;
  readonly #unusableReason: (item: Item) => string | undefined;
  readonly #items = new Map<string, Item>();
  readonly #dropped = new DroppedItems();
  #characters = 0;
  #ttlMs: number | undefined;

  constructor(kind: ListKind<Item>, unusableReason: (item: Item) => string | undefined) {
    this.#kind = kind;
    this.#unusableReason = unusableReason;
  }

  /** Returns the limit that the list exceeds, if any. */
  add({ items, dropped, unnamedCount = 0 }: Page<Item>, ttlMs: unknown): string | undefined {
    // Each page has its own ttl. The list expires with the first of them.
    if (typeof ttlMs === "number" && ttlMs >= 0) this.#ttlMs = Math.min(ttlMs, this.#ttlMs ?? Infinity);
    for (const item of dropped) this.#dropped.add(item);
    this.#dropped.unnamedCount += unnamedCount;
    for (const item of items) {
      const name = this.#kind.idOf(item);
      const reason = this.#items.has(name) ? "its name is used twice" : this.#unusableReason(item);
      if (reason !== undefined) {
        this.#dropped.add({ name, reason });
        continue;
      }
      if (this.#items.size === MAX_ITEMS) return `${MAX_ITEMS} ${this.#kind.key}`;
      this.#characters += estimateChars(item);
      if (this.#characters > MAX_CHARACTERS) return `${MAX_CHARACTERS} characters`;
      this.#items.set(name, item);
    }
    return undefined;
  }

  get result(): ListResult<Item> {
    return {
      items: [...this.#items.values()],
      dropped: this.#dropped.list,
      ...(this.#ttlMs !== undefined && { ttlMs: this.#ttlMs }),
    };
  }

  truncated(limit: string): ListResult<Item> {
    const { dropped, ...listed } = this.result;
    return { ...listed, dropped: [...dropped, { name: "…", reason: `the list goes on after ${limit}` }] };
  }
}

/** Estimates the length of the JSON text. Three times as fast as serializing the value. */
function estimateChars(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  let characters = 2;
  for (const key in value)
    characters += key.length + 4 + estimateChars((value as { readonly [key: string]: unknown })[key]);
  return characters;
}
