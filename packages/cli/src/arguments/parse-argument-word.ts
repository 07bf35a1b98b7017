/** Parses the words that give a tool's arguments: `name=value`, `name:=json`, `name=@file` and `name:=@file`. Pure. */
import type { HostError } from "@plugboard/contracts";
import { usageError } from "../command-line/usage-error.ts";

export interface ArgumentWord {
  readonly name: string;
  /** `text` is converted to a type that the tool's schema allows. `json` is JSON. */
  readonly format: "text" | "json";
  /** The value itself, or the path of a file that contains it. The path `-` is stdin. */
  readonly value: { readonly text: string } | { readonly path: string };
}

/** Throws USAGE before any server starts. */
export function parseArgumentWord(word: string): ArgumentWord {
  const equals = word.indexOf("=");
  const format = word[equals - 1] === ":" ? "json" : "text";
  const name = word.slice(0, Math.max(0, format === "json" ? equals - 1 : equals));
  if (name === "") throw notAnArgument(word);
  return { name, format, value: parseValue(word.slice(equals + 1), format) };
}

/** Returns whether the word has the form of an argument. */
export function isArgumentWord(word: string): boolean {
  return word.indexOf("=") > 0;
}

/** In text, `@@` stands for an `@` at the beginning. JSON never begins with `@`. */
function parseValue(text: string, format: ArgumentWord["format"]): ArgumentWord["value"] {
  if (format === "text" && text.startsWith("@@")) return { text: text.slice(1) };
  return text.startsWith("@") ? { path: text.slice(1) } : { text };
}

function notAnArgument(word: string): HostError {
  const message = `${JSON.stringify(word)} is not of the form name=value, name:=json or name=@file`;
  return usageError(message, { command: "call" });
}
