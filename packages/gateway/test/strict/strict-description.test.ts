/** Tests which fields of listed items reach clients. */
import type { Json } from "@plugboard/contracts";
import { strictCompletion } from "#strict/strict-completion.js";
import { strictBlock } from "#strict/strict-content.js";
import { strictDescription } from "#strict/strict-description.js";
import { describe, expect, it } from "vitest";
import { revisionNamed } from "../helpers/revision-named.ts";

describe("strictDescription", () => {
  it.each<[string, Json]>([
    ["title", "T"],
    ["description", ""],
    ["mimeType", "text/plain"],
    ["size", 0],
    ["icons", []],
    ["icons", [{ src: "a" }, { src: "b", mimeType: "image/png", sizes: ["48x48", "any"], theme: "dark" }]],
    ["icons", [{ src: "a", theme: "light" }]],
    ["annotations", {}],
    ["annotations", { audience: ["user", "assistant"], priority: 1, lastModified: "2026-01-01", title: "T" }],
    ["annotations", { priority: 0, readOnlyHint: true }],
    ["_meta", {}],
    ["unknown", 5],
  ])("keeps a valid %s: %j", (field, value) => {
    const item = { name: "n", [field]: value };
    expect(strictDescription(item)).toBe(item);
  });

  it.each<[string, Json]>([
    ["title", 5],
    ["description", null],
    ["mimeType", ["text/plain"]],
    ["size", 1.5],
    ["size", "5"],
    ["icons", { src: "a" }],
    ["icons", ["a"]],
    ["icons", [{ src: "a" }, { src: 1 }]],
    ["icons", [{ src: "a", mimeType: 1 }]],
    ["icons", [{ src: "a", sizes: [48] }]],
    ["icons", [{ src: "a", theme: "blue" }]],
    ["annotations", []],
    ["annotations", { audience: "user" }],
    ["annotations", { audience: ["user", "system"] }],
    ["annotations", { priority: -0.1 }],
    ["annotations", { priority: 1.1 }],
    ["annotations", { priority: "1" }],
    ["annotations", { lastModified: 5 }],
    ["annotations", { title: 5 }],
    ["_meta", []],
  ])("leaves out an invalid %s: %j", (field, value) => {
    expect(strictDescription({ name: "n", [field]: value, other: 1 })).toEqual({ name: "n", other: 1 });
  });
});

describe("strictBlock", () => {
  it.each<[Json]>([
    [{ type: "image", data: "", mimeType: 1 }],
    [{ type: "image", data: 1, mimeType: "image/png" }],
    [{ type: "resource_link", uri: 5, name: "n" }],
    [{ type: "resource", resource: { text: "a" } }],
    [{ type: "resource", resource: "a" }],
    [{ type: 5 }],
    [null],
  ])("turns the invalid block %j into text", (block) => {
    expect(strictBlock(block, revisionNamed())).toEqual({ type: "text", text: JSON.stringify(block) });
  });

  it("shows only the URI of a link without a name", () => {
    expect(strictBlock({ type: "resource_link", uri: "a://1" }, revisionNamed())).toEqual({
      type: "text",
      text: "a://1",
    });
  });

  it("leaves out invalid fields of a block and of the resource in it", () => {
    const resource = { uri: "a://1", blob: "", mimeType: 5 };
    expect(strictBlock({ type: "resource", resource, annotations: 5 }, revisionNamed())).toEqual({
      type: "resource",
      resource: { uri: "a://1", blob: "" },
    });
    const valid = { type: "resource", resource: { uri: "a://1", text: "" } };
    expect(strictBlock(valid, revisionNamed("2024-11-05"))).toBe(valid);
  });
});

describe("strictCompletion", () => {
  const completion = (value: Json) => strictCompletion({ completion: value });

  it("keeps values that are strings, a total that is an integer, and a hasMore that is true", () => {
    expect(completion({ values: ["a", 1, "b"], total: 2, hasMore: true })).toEqual({
      completion: { values: ["a", "b"], total: 2, hasMore: true },
    });
    expect(completion({ values: ["a"], total: "many", hasMore: "yes" })).toEqual({ completion: { values: ["a"] } });
    for (const wrong of [null, 5, { values: "a" }]) expect(completion(wrong)).toEqual({ completion: { values: [] } });
  });

  it("returns at most 100 values, and says if there are more", () => {
    const values = Array.from({ length: 101 }, (_, index) => `${index}`);
    expect(completion({ values })).toEqual({ completion: { values: values.slice(0, 100), hasMore: true } });
    expect(completion({ values: values.slice(1) })).toEqual({ completion: { values: values.slice(1) } });
  });
});
