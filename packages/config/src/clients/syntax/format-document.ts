/** Writes a document as JSON, TOML or YAML. The writers of TOML and YAML are loaded on first use. */
import type { JsonObject } from "@plugboard/contracts";
import type { Syntax } from "./parse-document.ts";

export async function formatDocument(document: JsonObject, syntax: Syntax): Promise<string> {
  if (syntax === "json") return `${JSON.stringify(document, undefined, 2)}\n`;
  if (syntax === "toml") {
    const { stringify } = await import("smol-toml");
    return withFinalNewline(stringify(document));
  }
  const { stringify } = await import("yaml");
  return withFinalNewline(stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 }));
}

function withFinalNewline(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
