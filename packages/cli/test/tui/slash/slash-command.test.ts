import { describe, expect, it } from "vitest";
import { parseChatInput } from "#tui/input/parse-chat-input.js";
import { parsePairs, parseSlashLine } from "#tui/slash/slash-command.js";

describe("parseSlashLine", () => {
  it("splits the name and the words, and keeps quoted words together", () => {
    expect(parseSlashLine("/mcp login  notion ")).toEqual({ name: "mcp", words: ["login", "notion"] });
    expect(parseSlashLine('/git:review title="two words"')).toEqual({ name: "git:review", words: ["title=two words"] });
  });

  it("leaves messages that only begin with a slash", () => {
    for (const text of ["// comment", "/etc/passwd is a file", "hello /mcp"])
      expect(parseSlashLine(text)).toBeUndefined();
  });
});

describe("parsePairs", () => {
  it("rejects a word without a name", () => {
    expect(parsePairs(["a=1", "b=x=y"])).toEqual({ a: "1", b: "x=y" });
    expect(() => parsePairs(["nope"])).toThrow("name=value");
  });
});

describe("parseChatInput", () => {
  it("attaches resources of known servers only", () => {
    expect(parseChatInput("see @docs:file:///a and @ann:hi", ["docs"])).toEqual({
      text: "see @docs:file:///a and @ann:hi",
      resources: [{ server: "docs", uri: "file:///a" }],
    });
  });
});
