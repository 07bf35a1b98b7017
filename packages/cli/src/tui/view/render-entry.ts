/** Renders the entries of a transcript as rows. Each entry begins with an empty row. Pure. */
import { sanitizeLine } from "@plugboard/contracts";
import type { ChatEntry } from "@plugboard/contracts";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { renderMarkdown } from "../text/render-markdown.ts";
import { limitRows, wrapText } from "../text/wrap-text.ts";
import { renderCall } from "./render-call.ts";

export interface EntryContext {
  readonly columns: number;
  readonly now: number;
}

/** A long message of the user is shortened, because the user knows it. */
const MAX_USER_ROWS = 12;
const MAX_REASONING_ROWS = 3;
const NOTICE_STYLES = { warn: "yellow", danger: "red" } as const;

export function renderEntry(entry: ChatEntry, context: EntryContext): Text[] {
  const rows = renderContent(entry, context);
  return rows.length === 0 ? [] : ["", ...rows];
}

function renderContent(entry: ChatEntry, context: EntryContext): readonly Text[] {
  const { columns } = context;
  switch (entry.type) {
    case "user":
      return renderUser(entry.text, columns);
    case "answer":
      return renderMarkdown(entry.text, columns);
    case "reasoning":
      return renderReasoning(entry.text, columns);
    case "call":
      return renderCall(entry, context);
    case "notice":
      return wrapText(entry.tone === "info" ? entry.text : styled(NOTICE_STYLES[entry.tone], entry.text), columns);
    case "summary":
      return wrapText(`${entry.removedMessages ?? "The"} older messages were replaced by a summary.`, columns);
  }
}

function renderUser(text: string, columns: number): readonly Text[] {
  const { rows, omitted } = limitRows(wrapText(text, columns, { first: styled("cyan", "› ") }), MAX_USER_ROWS);
  return omitted === 0 ? rows : [...rows, styled("dim", `  … ${omitted} more lines`)];
}

/** Shows the end, because the latest thought matters while the model is thinking. */
function renderReasoning(text: string, columns: number): readonly Text[] {
  const rows = wrapText(styled("dim", sanitizeLine(text.trim().replace(/\s+/g, " "))), columns, { first: "  " });
  return rows.slice(-MAX_REASONING_ROWS);
}
