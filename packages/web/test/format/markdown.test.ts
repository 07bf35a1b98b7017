import { isWebUrl, parseInline, parseMarkdown } from "#format/markdown.js";
import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, it } from "vitest";

const text = (value: string) => ({ type: "text", text: value });

describe("parseMarkdown", () => {
  it("parses headings, paragraphs, lists, code, quotes and tables", () => {
    const source =
      "# Title\n\nOne\ntwo\n\n- a\n- b\n\n1. c\n\n```js\nlet x;\n```\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n---";
    expect(parseMarkdown(source).map(({ type }) => type)).toEqual([
      "heading",
      "paragraph",
      "list",
      "list",
      "code",
      "quote",
      "table",
      "rule",
    ]);
    expect(parseMarkdown("```js\nlet x;\n```")).toEqual([{ type: "code", language: "js", text: "let x;" }]);
  });

  it("keeps HTML and links with other schemes as text, and never loads an image", { meta: { covers: ["A8"] } }, () => {
    expect(parseInline("<img src=x onerror=alert(1)>")).toEqual([text("<img src=x onerror=alert(1)>")]);
    for (const url of [
      "javascript:alert(1)",
      "JavaScript:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
    ])
      expect(
        parseInline(`[x](${url})`).some(({ type }) => type === "link"),
        url,
      ).toBe(false);
    expect(parseInline("![a](https://evil.example/?k=1)")).toEqual([
      { type: "image", url: "https://evil.example/?k=1", text: "a" },
    ]);
    expect(isWebUrl("https://")).toBe(false);
  });

  it("makes a link of a URL without the punctuation after it", () => {
    expect(parseInline("See https://a.example/b?c=1.")).toEqual([
      text("See "),
      { type: "link", url: "https://a.example/b?c=1", children: [text("https://a.example/b?c=1")] },
      text("."),
    ]);
  });

  it("ends for every text, and loses no line of plain text", () => {
    assert(
      property(
        array(constantFrom("#", ">", "-", "*", "`", "```", "|", "a", " ", "\n", "[", "]", "(", ")", "!")),
        (parts) => {
          parseMarkdown(parts.join(""));
        },
      ),
    );
    expect(JSON.stringify(parseMarkdown(`${">".repeat(20)} deep`))).toContain("deep");
  });

  it("is fast even for a text that is made to take long", { meta: { covers: ["A9"] } }, () => {
    const parts = ["[", "![", "[a](b", "`", "*a", "**a", "__a", "http://a", "# ", "- ", "> ", "| ", "|-"];
    const texts = parts.flatMap((part) => [
      part.repeat(20_000),
      `# |${part.repeat(20_000)}x`,
      `|\n${part.repeat(20_000)}x`,
    ]);
    const startedAt = performance.now();
    for (const text of [...texts, `# ${" ".repeat(50_000)}x`, `|\n${" ".repeat(50_000)}x`]) parseMarkdown(text);
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });
});
