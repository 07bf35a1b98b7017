/** Renders a list of tools: a signature and the beginning of the description for each. */
import { sanitizeLine, quoteName } from "@plugboard/contracts";
import type { OfferedTool } from "@plugboard/contracts";
import { renderSignature } from "../../signatures/render-signature.ts";
import { fitColumns, textColumns } from "../../terminal/text-width.ts";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";

/** The width of the list in a pipe or a file. */
const PIPE_COLUMNS = 160;
const GAP = 2;
/** The part of the width that signatures may take. */
const SIGNATURE_SHARE = 0.6;
const MIN_DESCRIPTION_COLUMNS = 20;

/** Aligns the descriptions, and cuts each row to the width of the terminal. */
export function renderToolList(tools: readonly OfferedTool[], columns: number): Text {
  const width = (Number.isFinite(columns) ? columns : PIPE_COLUMNS) - 1;
  const rows = tools.map((tool) => ({
    signature: sanitizeLine(renderSignature(displayName(tool), tool.inputSchema, Math.floor(width * SIGNATURE_SHARE))),
    description: firstLine(tool.description),
  }));
  const signatureWidth = rows.reduce((most, { signature }) => Math.max(most, textColumns(signature)), 0);
  const descriptionWidth = width - signatureWidth - GAP;
  return rows.map(({ signature, description }) => {
    if (description === "" || descriptionWidth < MIN_DESCRIPTION_COLUMNS) return `${fitColumns(signature, width)}\n`;
    const padding = " ".repeat(signatureWidth - textColumns(signature) + GAP);
    return [signature, padding, styled("dim", fitColumns(description, descriptionWidth)), "\n"];
  });
}

/** Returns `server:tool` as people type it. Quotes unusual characters in the tool's name. */
export function displayName({ server, tool }: Pick<OfferedTool, "server" | "tool">): string {
  return `${server}:${quoteName(tool)}`;
}

/** A longer line would be cut anyway. */
const MAX_CHARS = 1_000;

function firstLine(text: string): string {
  const [line = ""] = text.trim().slice(0, MAX_CHARS).split("\n", 1);
  return sanitizeLine(line.trimEnd());
}
