/**
 * What a definition runs or calls, in a line for people. As written, so no
 * variable is expanded. Shows commands in full. Masks only values that follow a
 * secret's name or look like a secret.
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
