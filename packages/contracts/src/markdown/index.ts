/** Reads Markdown of servers and models, for the terminal and the page. An entry of its own, because few programs need it. */
export { hasTable, splitBlocks, splitComplete } from "./markdown-blocks.ts";
export type { MarkdownBlock } from "./markdown-blocks.ts";
export { isWebUrl, parseInline, plainInline } from "./markdown-inline.ts";
export type { MarkdownInline } from "./markdown-inline.ts";
