/** Tests the limits of a tool list, with a session whose pages the test makes. */
import { ToolList } from "#catalog/tool-list.js";
import type { Outcome, Session } from "@plugboard/mcp";
import type { Json, JsonObject } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { ann } from "../helpers/connect.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

/** `page` makes the page with the given number. The list ends with the first page without a cursor. */
async function list(page: (number: number) => JsonObject) {
  let asked = 0;
  const request = (): Promise<Outcome> => Promise.resolve({ type: "complete", result: page(++asked) });
  const session = {
    serverInfo: { capabilities: { tools: true, listChanged: { tools: false } } },
    unusableReason: () => undefined,
    request,
  } as unknown as Session;
  const context = () => ({ caller: ann, timeoutMs: 1000, maxMs: 1000, elicitation: false });
  const toolList = new ToolList({ server: "tested", clock: new ManualClock(), context, onChanged: () => {} });
  await toolList.sessionOpened(session, new AbortController().signal);
  return { ...toolList.last, asked };
}

const tools = (count: number, of: (at: number) => Json): JsonObject => ({
  tools: Array.from({ length: count }, (_, at) => of(at)),
});

describe("ToolList limits", () => {
  describe("endless list", () => {
    it("is truncated after a hundred pages", { meta: { covers: ["F20"] } }, async () => {
      const {
        tools: listed,
        dropped,
        asked,
      } = await list((page) => ({ tools: [{ name: `t${page}` }], nextCursor: "on" }));
      expect(asked).toBe(100);
      expect(listed).toHaveLength(100);
      expect(dropped).toEqual([{ tool: "…", reason: "the list goes on after 100 pages" }]);
    });

    it("is truncated after ten thousand tools", { meta: { covers: ["F20"] } }, async () => {
      const { tools: listed, dropped } = await list(() => tools(200_000, (at) => ({ name: `t${at}` })));
      expect(listed).toHaveLength(10_000);
      expect(dropped).toEqual([{ tool: "…", reason: "the list goes on after 10000 tools" }]);
    });

    it("is truncated when its text is too large", { meta: { covers: ["F20", "R2.131"] } }, async () => {
      const description = "x".repeat(10 * 1024 * 1024);
      const {
        tools: listed,
        dropped,
        asked,
      } = await list((page) => ({
        tools: [{ name: `t${page}`, description }],
        nextCursor: "on",
      }));
      expect(asked).toBe(7);
      expect(listed).toHaveLength(6);
      expect(dropped).toMatchObject([{ tool: "…" }]);
    });
  });

  it("names the first hundred dropped tools of all pages and counts the others", async () => {
    const { dropped } = await list((page) => ({
      ...tools(150_000, () => null),
      ...(page < 3 && { nextCursor: "on" }),
    }));
    expect(dropped).toHaveLength(101);
    expect(dropped.at(-1)).toEqual({ tool: "…", reason: "and 449900 more" });
  });

  it("keeps the first of two tools with the same name", async () => {
    const { tools: listed, dropped } = await list(() => tools(2, (at) => ({ name: "same", title: `${at}` })));
    expect(listed).toMatchObject([{ name: "same", title: "0" }]);
    expect(dropped).toEqual([{ tool: "same", reason: "its name is used twice" }]);
  });
});
