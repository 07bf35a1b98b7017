import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { splitBlocks } from "#markdown/markdown-blocks.js";
import { isWebUrl, parseInline, plainInline } from "#markdown/markdown-inline.js";

const text = (value: string) => ({ type: "text", text: value });

describe("parseInline", () => {
  it("keeps HTML as text, and makes no link to another scheme", { meta: { covers: ["A8"] } }, () => {
    expect(parseInline("<img src=x onerror=alert(1)>")).toEqual([text("<img src=x onerror=alert(1)>")]);
    for (const target of [
      "javascript:alert%281%29",
      "JavaScript:alert",
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
    ])
      expect(parseInline(`[x](${target})`), target).toEqual([{ type: "reference", target, children: [text("x")] }]);
    expect(isWebUrl("https://")).toBe(false);
  });

  it("reads an image as its address, so that nobody loads it unasked", { meta: { covers: ["A8"] } }, () => {
    expect(parseInline("![a](https://evil.example/?k=1)")).toEqual([
      { type: "image", url: "https://evil.example/?k=1", text: "a" },
    ]);
  });

  it("makes a link of a URL without the punctuation after it", () => {
    expect(parseInline("See https://a.example/b?c=1.")).toEqual([
      text("See "),
      { type: "link", url: "https://a.example/b?c=1", children: [text("https://a.example/b?c=1")] },
      text("."),
    ]);
  });

  it("reads marks within marks, and escaped marks as text", () => {
    expect(parseInline("**a `b`** \\*c\\*")).toEqual([
      { type: "strong", children: [text("a "), { type: "code", text: "b" }] },
      text(" *c*"),
    ]);
    expect(plainInline(parseInline("**a `b`** [c](https://c.example)"))).toBe("a b c");
  });
});

describe("Markdown of any text", () => {
  it("is read to its end, and loses no letter", () => {
    const parts = ["#", ">", "-", "*", "`", "```", "|", "a", " ", "\n", "[", "]", "(", ")", "!", "\\"];
    const letters = (value: unknown) => [...JSON.stringify(value).matchAll(/(?<!\w)a+(?!\w)/g)].length;
    assert(
      property(array(constantFrom(...parts)), (chosen) => {
        const blocks = splitBlocks(chosen.join(""));
        for (const block of blocks) if ("text" in block) parseInline(block.text);
        const hasFence = blocks.some(({ type }) => type === "code");
        if (!hasFence && chosen.includes("a")) expect(letters(blocks)).toBeGreaterThan(0);
      }),
    );
  });

  it("takes no time, even if the text is made to take long", { meta: { covers: ["A9"] } }, () => {
    const parts = ["[", "![", "[a](b", "`", "*a", "**a", "__a", "_a", "http://a", "# ", "- ", "> ", "| ", "|-", "\\"];
    const texts = parts.flatMap((part) => [
      part.repeat(5_000),
      `# |${part.repeat(5_000)}x`,
      `|\n${part.repeat(5_000)}x`,
    ]);
    const spaces = " ".repeat(50_000);
    // `.` does not match this line break of Unicode, but a line of Markdown may contain it.
    const unicodeBreak = "a\u2028b";
    const marks = ["# ", "- ", "1. ", "> ", "| "].map((mark) => `${mark}${spaces}${unicodeBreak}`);
    const startedAt = process.cpuUsage();
    for (const source of [
      ...marks,
      `${"~".repeat(50_000)}\``,
      `${" ".repeat(50_000)}~~`,
      ...texts,
      `# ${spaces}x`,
      `# x${spaces}y`,
      `|\n${spaces}x`,
      `\`\`\`${spaces}\``,
      `- ${spaces}x`,
    ])
      for (const block of splitBlocks(source)) if ("text" in block) parseInline(block.text);
    const { user } = process.cpuUsage(startedAt);
    expect(user / 1000).toBeLessThan(5000);
  });
});
