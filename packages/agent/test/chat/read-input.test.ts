/** Tests the parts that the model gets for a message of the user. */
import type { ChatInput, ContentBlock, ResourceContents, Workspace } from "@plugboard/contracts";
import { readInput } from "#chat/index.js";
import { shownText } from "#chat/read-input.js";
import { describe, expect, it } from "vitest";

const { signal } = new AbortController();
const text = (value: string) => ({ type: "text", text: value });
const untrusted = (source: string, value: string) => `<untrusted source="${source}">\n${value}\n</untrusted>`;

async function partsOf(
  input: ChatInput,
  contents: readonly ResourceContents[] = [],
  messages: readonly { role: "user" | "assistant"; content: ContentBlock }[] = [],
) {
  const calls: unknown[] = [];
  const workspace = {
    resources: { read: async (...args: unknown[]) => (calls.push(args), contents) },
    prompts: { get: async (...args: unknown[]) => (calls.push(args), { messages }) },
  } as unknown as Workspace;
  return { parts: await readInput(input, workspace, signal), calls };
}

describe("readInput", () => {
  it("returns no part for an empty text", async () => {
    expect(await partsOf({ text: "" })).toEqual({ parts: [], calls: [] });
  });

  it("attaches resources before the user's text, as untrusted text or as media", async () => {
    const contents = [
      { uri: "a://1", text: "one" },
      { uri: "a://2", blob: "YmxvYg==", mimeType: "image/png" },
      { uri: "a://3", blob: "YmxvYg==", mimeType: "audio/wav" },
      { uri: "a://4", blob: "YmxvYg==", mimeType: "application/pdf" },
      { uri: "a://5", blob: "YmxvYg==" },
    ] as ResourceContents[];
    const { parts, calls } = await partsOf({ text: "Look", resources: [{ server: "s", uri: "a://1" }] }, contents);
    expect(parts).toEqual([
      text(`Resource a://1:\n${untrusted("s", "one")}`),
      { type: "image", data: "YmxvYg==", mimeType: "image/png" },
      { type: "audio", data: "YmxvYg==", mimeType: "audio/wav" },
      { type: "file", data: "YmxvYg==", mimeType: "application/pdf" },
      text("[resource a://5, not shown]"),
      text("Look"),
    ]);
    expect(calls).toEqual([["s", "a://1", { signal }]]);
  });

  it("gets a prompt from its server, and keeps the roles and media of its messages", async () => {
    const prompt = { server: "s", name: "review", arguments: { language: "C" } };
    const message = (content: object, role: "user" | "assistant" = "user") => ({
      role,
      content: content as ContentBlock,
    });
    const { parts, calls } = await partsOf(
      { text: "Now", prompt },
      [],
      [
        message(text("Review")),
        message(text("I do"), "assistant"),
        message({ type: "image", data: "aW1n", mimeType: "image/png" }),
        message({ type: "resource", resource: { uri: "a://1", text: "file" } }),
        message({ type: "resource", resource: { uri: "a://2", blob: "Ymxv", mimeType: "text/plain" } }),
        message({ type: "resource_link", uri: "a://3" }),
        message({ type: "image", data: 7, mimeType: "image/png" }),
      ],
    );
    expect(parts).toEqual([
      text('Follow the prompt "s:review", which I have chosen:'),
      text(untrusted("s:review", "Review")),
      text(untrusted("s:review", "Assistant: I do")),
      { type: "image", data: "aW1n", mimeType: "image/png" },
      text(untrusted("s:review", "file")),
      { type: "file", data: "Ymxv", mimeType: "text/plain" },
      text(untrusted("s:review", "[resource_link, not shown]")),
      text(untrusted("s:review", "[image, not shown]")),
      text("Now"),
    ]);
    expect(calls).toEqual([["s", "review", { language: "C" }, { signal }]]);
  });
});

describe("shownText", () => {
  it("is absent if nothing is attached", () => {
    expect(shownText({ text: "Hi", resources: [], context: [] })).toBeUndefined();
  });

  it("names the prompt, the resources and the Apps of a message, without their content", () => {
    const prompt = { server: "docs", name: "review" };
    const resources = ["a://1", "a://2"].map((uri) => ({ server: "docs", uri }));
    expect(shownText({ text: "read @docs:a://1", prompt, resources })).toBe(
      "/docs:review read @docs:a://1 @docs:a://2",
    );
    expect(shownText({ text: "Which?", context: [{ source: "apps:show", text: "blue" }] })).toBe(
      "Which?\n[with a text of the App of apps:show]",
    );
    expect(shownText({ text: "", prompt })).toBe("/docs:review");
  });
});
