/**
 * Reads a list that a server gives out page by page, within bounds. What can't
 * be used of it is left out and named with the reason; the others stay.
 */
import { HostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { steadyNow } from "../lib/clock.ts";
import type { Clock } from "../lib/clock.ts";
import type { Op } from "../session/op.ts";
import type { Outcome } from "../session/outcome.ts";
import type { CallContext } from "../session/session.ts";

export interface ListKind<Item> {
  readonly method: "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list";
  /** Under which key a page has them, and what more than one are called. */
  readonly key: string;
  /** What tells one from another. */
  readonly idOf: (item: Item) => string;
  readonly parsePage: (result: JsonObject) => Page<Item> | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly dropped: readonly DroppedItem[];
  /** How many were dropped beside those that are named. */
  readonly more?: number | undefined;
}

/** Offered but not usable. */
export interface DroppedItem {
  readonly name: string;
  readonly reason: string;
}

export interface ListResult<Item> {
  readonly items: readonly Item[];
  readonly dropped: readonly DroppedItem[];
  /** For how long the server says that the list is good. */
  readonly ttlMs?: number;
}

export interface ListContext<Item> {
  readonly server: string;
  readonly clock: Clock;
  /** `maxMs` is for all pages together. */
  readonly ctx: CallContext;
  readonly request: (op: Op, ctx: CallContext) => Promise<Outcome>;
  /** Why one can't be used after all. */
  readonly unusableReason?: (item: Item) => string | undefined;
}

const MAX_PAGES = 100;
const MAX_ITEMS = 10_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;
const MAX_NAMED = 100;

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
    // An empty one would ask for the first page again.
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
  const op: Op = { method, params: cursor === undefined ? {} : { cursor } };
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

/** What has been listed so far. */
class PageCollector<Item> {
  readonly #kind: ListKind<Item>;
  readonly #unusableReason: (item: Item) => string | undefined;
  readonly #items = new Map<string, Item>();
  readonly #dropped: DroppedItem[] = [];
  #unnamedCount = 0;
  #characters = 0;
  #ttlMs: number | undefined;

  constructor(kind: ListKind<Item>, unusableReason: (item: Item) => string | undefined) {
    this.#kind = kind;
    this.#unusableReason = unusableReason;
  }

  /** Says what there is too much of, once there is. */
  add({ items, dropped, more = 0 }: Page<Item>, ttlMs: unknown): string | undefined {
    // Each page has its own; the whole is good for as long as all of it is.
    if (typeof ttlMs === "number" && ttlMs >= 0) this.#ttlMs = Math.min(ttlMs, this.#ttlMs ?? Infinity);
    for (const one of dropped) this.#drop(one);
    this.#unnamedCount += more;
    for (const item of items) {
      const name = this.#kind.idOf(item);
      const reason = this.#items.has(name) ? "its name is used twice" : this.#unusableReason(item);
      if (reason !== undefined) {
        this.#drop({ name, reason });
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
    const more = this.#unnamedCount === 0 ? [] : [{ name: "…", reason: `and ${this.#unnamedCount} more` }];
    return {
      items: [...this.#items.values()],
      dropped: [...this.#dropped, ...more],
      ...(this.#ttlMs !== undefined && { ttlMs: this.#ttlMs }),
    };
  }

  truncated(limit: string): ListResult<Item> {
    const { dropped, ...listed } = this.result;
    return { ...listed, dropped: [...dropped, { name: "…", reason: `the list goes on after ${limit}` }] };
  }

  /** The first are named, the others counted. */
  #drop(dropped: DroppedItem): void {
    if (this.#dropped.length < MAX_NAMED) this.#dropped.push(dropped);
    else this.#unnamedCount += 1;
  }
}

/** About as many as it takes to write it; to write it only to count them takes three times as long. */
function estimateChars(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  let characters = 2;
  for (const key in value)
    characters += key.length + 4 + estimateChars((value as { readonly [key: string]: unknown })[key]);
  return characters;
}
