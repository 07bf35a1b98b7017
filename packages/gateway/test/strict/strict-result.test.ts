/** Tests how results of servers are made valid for clients of old and new revisions. */
import type { Json, JsonObject } from "@plugboard/contracts";
import { strictBlock, strictContents } from "#strict/strict-content.js";
import { strictPromptResult, strictToolResult } from "#strict/strict-result.js";
import { describe, expect, it } from "vitest";
import { revisionNamed } from "../helpers/revision-named.ts";

const link = { type: "resource_link", uri: "a://1", name: "one" };
const audio = { type: "audio", data: "", mimeType: "audio/wav" };

describe("strictBlock", () => {
  it.each<[JsonObject, string, string]>([
    [link, "2025-06-18", "2025-03-26"],
    [audio, "2025-03-26", "2024-11-05"],
  ])("keeps %j for clients of %s, and turns it into text for clients of %s", (block, since, before) => {
    expect(strictBlock(block, revisionNamed(since))).toEqual(block);
    expect(strictBlock(block, revisionNamed(before))).toMatchObject({ type: "text" });
  });

  it("shows the name and URI of a link that becomes text", () => {
    expect(strictBlock(link, revisionNamed("2024-11-05"))).toEqual({ type: "text", text: "one: a://1" });
  });

  it.each<[Json]>([
    [5],
    [{ type: "text" }],
    [{ type: "resource", resource: { uri: "a://1" } }],
    [{ type: "toString" }],
  ])("turns the invalid block %j into text", (block) => {
    expect(strictBlock(block, revisionNamed())).toEqual({ type: "text", text: JSON.stringify(block) });
  });
});

describe("strictToolResult", () => {
  it("drops structured content that is not an object, for older revisions only", () => {
    const result = { content: [], structuredContent: [1] };
    expect(strictToolResult(result, revisionNamed("2025-11-25"))).toEqual({ content: [] });
    expect(strictToolResult(result, revisionNamed("2026-07-28"))).toEqual(result);
  });

  it("adds missing content, and drops isError and _meta of the wrong type", () => {
    expect(strictToolResult({ structuredContent: {}, isError: "no", _meta: 1 }, revisionNamed("2025-11-25"))).toEqual({
      structuredContent: {},
      content: [],
    });
  });

  it("drops the key of _meta with the server's name, and keeps the other keys", () => {
    const _meta = { "io.modelcontextprotocol/serverInfo": { name: "s" }, "example.com/a": 1 };
    expect(strictToolResult({ content: [], _meta }, revisionNamed())).toEqual({
      content: [],
      _meta: { "example.com/a": 1 },
    });
  });
});

describe("strictPromptResult", () => {
  it("drops messages without a valid role or content", () => {
    const text = { type: "text", text: "a" };
    const messages = ["user", "assistant"].map((role) => ({ role, content: text }));
    const invalid = [{ role: "system", content: text }, { role: "user" }, 1];
    expect(strictPromptResult({ messages: [...messages, ...invalid], description: 1 }, revisionNamed())).toEqual({
      messages,
    });
  });
});

describe("strictContents", () => {
  it("adds the requested URI, and drops parts without text or bytes", () => {
    expect(strictContents([{ text: "a" }, { uri: "b://1", blob: "" }, { uri: "c://1" }, 1], "a://1")).toEqual([
      { uri: "a://1", text: "a" },
      { uri: "b://1", blob: "" },
    ]);
  });
});
