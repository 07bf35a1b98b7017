import { signatureVariants } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { fitColumns, textColumns } from "../terminal/text-width.ts";

/** Renders a tool as a signature with its parameters. Leaves out details until it fits, and finally cuts it. */
export function renderSignature(name: string, inputSchema: JsonObject, width = Infinity): string {
  let text = "";
  for (const variant of signatureVariants(name, inputSchema)) {
    text = variant();
    if (textColumns(text) <= width) return text;
  }
  return fitColumns(text, width);
}
