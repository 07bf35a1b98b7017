/**
 * Describes in one line which command a definition runs or which URL it calls. Does not expand variables. Shows
 * programs and their arguments, except values after a name such as `--token` and values that look like a secret.
 */
import type { ServerDefinition } from "../definition/definition.ts";
import { maskUrlWithDefaults, maskArguments, maskCommand } from "./mask-text.ts";
import { describeReference } from "../definition/secret-reference.ts";

export function describeTarget(definition: ServerDefinition): string {
  if (definition.transport === "sdk") return quoteArgument(definition.name);
  if (definition.transport !== "stdio") return maskUrlWithDefaults(definition.url);
  const words = maskArguments(definition.args).map((arg) => (typeof arg === "string" ? arg : describeReference(arg)));
  return [maskCommand(definition.command), ...words].map(quoteArgument).join(" ");
}

function quoteArgument(word: string): string {
  return /^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word);
}
