/**
 * What a definition runs or calls, in a line for people. As written, so no
 * variable is expanded. Only what looks like no secret is shown; the rest is
 * masked, so a secret needs no telling name to stay hidden.
 */
import type { ServerDefinition } from "./definition.ts";
import { maskAddress, maskArguments, maskCommand } from "./mask-text.ts";
import { nameOfReference } from "./secret-reference.ts";

export function describeTarget(definition: ServerDefinition): string {
  if (definition.transport === "sdk") return quoted(definition.name);
  if (definition.transport !== "stdio") return maskAddress(definition.url);
  const words = maskArguments(definition.args).map((arg) => (typeof arg === "string" ? arg : nameOfReference(arg)));
  return [maskCommand(definition.command), ...words].map(quoted).join(" ");
}

function quoted(word: string): string {
  return /^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word);
}
