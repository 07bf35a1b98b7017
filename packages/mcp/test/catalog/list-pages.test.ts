/** Paged lists of every kind: their limits, and how malformed pages are handled. */
import { listPages } from "#catalog/list-pages.js";
import type { ListKind } from "#catalog/list-pages.js";
import { PROMPT_LIST, RESOURCE_LIST, TEMPLATE_LIST } from "#catalog/list-kinds.js";
import { HostError } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { CallContext, Op } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";
import { ann } from "../helpers/connect.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const ctx: CallContext = { caller: ann, timeoutMs: 1000, maxMs: 10_000, elicitation: false };

function list<Item>(
  kind: ListKind<Item>,
  page: (op: Op, ctx: CallContext, clock: ManualClock) => JsonObject | HostError,
) {
  const clock = new ManualClock();
  const ops: Op[] = [];
  const listed = listPages(kind, {
    server: "tested",
    clock,
    ctx,
    request: async (op, pageCtx) => {
      ops.push(op);
      const made = page(op, pageCtx, clock);
      return made instanceof HostError ? { type: "failed", error: made } : { type: "complete", result: made };
    },
  });
  return listed.then((result) => ({ ...result, ops }));
}

describe.each<[string, ListKind<unknown>, Op["method"], string]>([
  ["resources", RESOURCE_LIST as ListKind<unknown>, "resources/list", "uri"],
  ["templates", TEMPLATE_LIST as ListKind<unknown>, "resources/templates/list", "uriTemplate"],
  ["prompts", PROMPT_LIST as ListKind<unknown>, "prompts/list", "name"],
])("listPages for %s", (_, kind, method, id) => {
  const item = (name: Json) => ({ [id]: name, name });

  it("requests each page with the cursor of the previous one", async () => {
    const { items, dropped, ops } = await list(kind, ({ params }) => {
      const { cursor } = params as { cursor?: string };
      if (cursor === undefined) return { [kind.key]: [item("a")], nextCursor: "2" };
      return { [kind.key]: [item("b")], ...(cursor === "2" && { nextCursor: "3" }) };
    });
    expect(items).toEqual([item("a"), item("b")]);
    expect(dropped).toEqual([{ name: "b", reason: "its name is used twice" }]);
    expect(ops).toEqual([{}, { cursor: "2" }, { cursor: "3" }].map((params) => ({ method, params })));
  });

  it("drops malformed items with a reason and keeps the others", { meta: { covers: ["F20"] } }, async () => {
    const { items, dropped } = await list(kind, () => ({
      [kind.key]: [item("a"), null, 5, [], {}, item(""), item(7), item("b"), item("x".repeat(4001))],
    }));
    expect(items).toEqual([item("a"), item("b")]);
    expect(dropped.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      "#2: it is not an object",
      "#3: it is not an object",
      "#4: it is not an object",
      `#5: it has no ${id}`,
      `#6: it has no ${id}`,
      `#7: it has no ${id}`,
      `${"x".repeat(100)}…: its ${id} is over 4000 characters`,
    ]);
  });

  it("names the first hundred dropped items and counts the others", { meta: { covers: ["F20"] } }, async () => {
    const { dropped } = await list(kind, () => ({ [kind.key]: Array.from({ length: 1000 }, () => 1) }));
    expect(dropped).toHaveLength(101);
    expect(dropped.at(-1)).toEqual({ name: "…", reason: "and 900 more" });
    expect(kind.parsePage({ [kind.key]: Array.from({ length: 1000 }, () => 1) })?.dropped).toHaveLength(100);
  });

  it("truncates a list that never ends", { meta: { covers: ["F20"] } }, async () => {
    const { items, dropped, ops } = await list(kind, () => ({ [kind.key]: [item("a")], nextCursor: "again" }));
    expect(ops).toHaveLength(100);
    expect(items).toHaveLength(1);
    expect(dropped.at(-1)).toEqual({ name: "…", reason: "the list goes on after 100 pages" });
  });

  it("truncates a list with too many items", { meta: { covers: ["F20"] } }, async () => {
    const { items, dropped } = await list(kind, () => ({
      [kind.key]: Array.from({ length: 100_000 }, (_, at) => item(`${at}`)),
    }));
    expect(items).toHaveLength(10_000);
    expect(dropped).toEqual([{ name: "…", reason: `the list goes on after 10000 ${kind.key}` }]);
  });

  it("truncates the list when the timeout for all pages has passed", async () => {
    const left: number[] = [];
    const { items, dropped } = await list(kind, (op, { maxMs }, clock) => {
      left.push(maxMs);
      clock.advance(4000);
      return { [kind.key]: [item(JSON.stringify(op.params))], nextCursor: `${left.length}` };
    });
    expect(left).toEqual([10_000, 6000, 2000]);
    expect(items).toHaveLength(3);
    expect(dropped).toEqual([{ name: "…", reason: "the list goes on after 10000 ms" }]);
  });

  it("stops at a cursor that is empty or not a string", async () => {
    for (const nextCursor of ["", null, 7]) {
      const { ops } = await list(kind, () => ({ [kind.key]: [], nextCursor }));
      expect(ops).toHaveLength(1);
    }
  });

  it("returns the shortest ttl of all pages", async () => {
    const ttl = async (...ttls: Json[]) => {
      let page = 0;
      const { ttlMs } = await list(kind, () => {
        const given = ttls[page++];
        return {
          [kind.key]: [],
          ...(given !== undefined && { ttlMs: given }),
          ...(page < ttls.length && { nextCursor: "n" }),
        };
      });
      return ttlMs;
    };
    expect(await ttl(5000, 2000, 9000)).toBe(2000);
    expect(await ttl(0, 2000)).toBe(0);
    expect(await ttl("soon", -1, null)).toBeUndefined();
  });

  it.each<[string, JsonObject]>([
    ["nothing", {}],
    ["a string", { [kind.key]: "none" }],
  ])("fails if the page has %s instead of the list", async (_what, result) => {
    await expect(list(kind, () => result)).rejects.toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      details: { reason: `${method} has no list of "${kind.key}"` },
    });
  });

  it("fails if the request for a page fails", async () => {
    const refused = new HostError("REQUEST_FAILED", { server: "tested", method, code: -32603, message: "oops" });
    await expect(list(kind, () => refused)).rejects.toBe(refused);
  });
});

describe("list parsers", () => {
  it("drop the fields of a resource that have the wrong type, keep unknown ones, and use its URI as the default name", async () => {
    const annotations = { audience: ["user"] };
    const { items } = await list(RESOURCE_LIST, () => ({
      resources: [
        { uri: "a:1", name: "n", title: "t", description: "d", mimeType: "m", size: 3, annotations, more: 1 },
        { uri: "a:2", name: 5, title: [], size: "big", annotations: "x" },
      ],
    }));
    expect(items).toEqual([
      { uri: "a:1", name: "n", title: "t", description: "d", mimeType: "m", size: 3, annotations, more: 1 },
      { uri: "a:2", name: "a:2" },
    ]);
  });

  it("parse a resource template", async () => {
    const { items } = await list(TEMPLATE_LIST, () => ({
      resourceTemplates: [{ uriTemplate: "a:{x}", name: "n", mimeType: "m", more: 3 }],
    }));
    expect(items).toEqual([{ uriTemplate: "a:{x}", name: "n", mimeType: "m", more: 3 }]);
  });

  it("parse a prompt and drop its arguments without a name", async () => {
    const { items } = await list(PROMPT_LIST, () => ({
      prompts: [
        {
          name: "p",
          title: "t",
          arguments: [{ name: "a", required: true, title: "A" }, { required: true }, 7, { name: "b", required: "no" }],
        },
        { name: "q", arguments: "none" },
      ],
    }));
    expect(items).toEqual([
      { name: "p", title: "t", arguments: [{ name: "a", title: "A", required: true }, { name: "b" }] },
      { name: "q" },
    ]);
  });
});
