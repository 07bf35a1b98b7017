/** Renders markdown of a model for the terminal, in rows that fit. Pure. */
import { splitBlocks } from "@plugboard/contracts/markdown";
import type { MarkdownBlock } from "@plugboard/contracts/markdown";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { renderInline } from "./render-inline.ts";
import { renderMarkdownTable } from "./render-markdown-table.ts";
import { wrapText } from "./wrap-text.ts";

export function renderMarkdown(markdown: string, columns: number): Text[] {
  const blocks = splitBlocks(markdown);
  return blocks.flatMap((block, index) => {
    const before = blocks[index - 1];
    const isClose = before === undefined || (before.type === "item" && block.type === "item");
    const isOfItem = block.type === "paragraph" && block.indent >= 2 && (before?.type ?? "item") === "item";
    return [...(isClose ? [] : [""]), ...renderBlock(block, columns, isOfItem)];
  });
}

/** `isOfItem`: the block continues the item of a list. */
function renderBlock(block: MarkdownBlock, columns: number, isOfItem: boolean): Text[] {
  switch (block.type) {
    case "heading":
      return wrapText(styled("bold", block.text), columns);
    case "code":
      return block.lines.length === 0 ? [] : wrapText(block.lines.join("\n") || " ", columns, CODE_INDENT);
    case "item": {
      const bullet = block.checked === undefined ? "•" : block.checked ? "☑" : "☐";
      const marker = /^\d/.test(block.marker) ? block.marker : bullet;
      return wrapText(renderInline(block.text), columns, {
        first: `${" ".repeat(Math.min(block.indent, MAX_INDENT))}${marker} `,
      });
    }
    case "quote":
      return wrapText(renderInline(block.text), columns, { first: QUOTE_BAR, rest: QUOTE_BAR });
    case "table":
      return renderMarkdownTable(block, columns);
    case "rule":
      return [styled("dim", "─".repeat(Math.min(columns, 40)))];
    case "paragraph":
      return wrapText(renderInline(block.text), columns, {
        first: isOfItem ? " ".repeat(Math.min(block.indent, MAX_INDENT)) : "",
      });
  }
}

const MAX_INDENT = 12;
const CODE_INDENT = { first: "    ", rest: "    " };
const QUOTE_BAR = styled("dim", "▏ ");
