/** Renders markdown of a model for the terminal, in rows that fit. Pure. */
import { layOutTable } from "../../render/render-table.ts";
import { linesOf, plainText, styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { renderInline } from "./inline-markdown.ts";
import { splitBlocks } from "./markdown-blocks.ts";
import type { MarkdownBlock } from "./markdown-blocks.ts";
import { wrapText } from "./wrap-text.ts";

export function renderMarkdown(markdown: string, columns: number): Text[] {
  const blocks = splitBlocks(markdown);
  return blocks.flatMap((block, index) => {
    const before = blocks[index - 1];
    const isClose = before === undefined || (before.type === "item" && block.type === "item");
    return [...(isClose ? [] : [""]), ...renderBlock(block, columns)];
  });
}

function renderBlock(block: MarkdownBlock, columns: number): Text[] {
  switch (block.type) {
    case "heading":
      return wrapText(styled("bold", block.text), columns);
    case "code":
      return block.lines.length === 0 ? [] : wrapText(block.lines.join("\n") || " ", columns, CODE_INDENT);
    case "item": {
      const marker = /^\d/.test(block.marker) ? block.marker : "•";
      return wrapText(renderInline(block.text), columns, {
        first: `${" ".repeat(Math.min(block.indent, 12))}${marker} `,
      });
    }
    case "quote":
      return wrapText(renderInline(block.text), columns, { first: QUOTE_BAR, rest: QUOTE_BAR });
    case "table":
      return renderRows(block.rows, columns);
    case "rule":
      return [styled("dim", "─".repeat(Math.min(columns, 40)))];
    case "paragraph":
      return wrapText(renderInline(block.text), columns);
  }
}

const CODE_INDENT = { first: "    ", rest: "    " };
const QUOTE_BAR = styled("dim", "▏ ");

function renderRows([head = [], ...rows]: readonly (readonly string[])[], columns: number): Text[] {
  const plain = (cells: readonly string[]) => cells.map((cell) => plainText(renderInline(cell)));
  const body = rows.map(plain);
  const table = layOutTable(plain(head), body, { columns });
  const [title = ""] = linesOf(table.head);
  return [styled("bold", plainText(title)), ...body.flatMap((row) => linesOf(table.row(row)))];
}
