/** Turns the fields of a registry's server into the values of its inputs. Pure. */
import { sanitizeLine } from "@plugboard/contracts";
import type { RegistryDraft, RegistryInputField } from "@plugboard/contracts";

/** Leaves out empty fields. Throws an error if a required field is empty. A secret may be empty, and be set later. */
export function toRegistryValues(
  inputs: readonly RegistryInputField[],
  texts: { readonly [input: string]: string },
): RegistryDraft["values"] {
  const filled = inputs.map((input) => [input, linesOf(input, texts[input.name] ?? "")] as const);
  const missing = filled.find(
    ([{ required, secret, default: fallback }, lines]) =>
      required && !secret && fallback === undefined && lines.length === 0,
  );
  if (missing) throw new Error(`Fill in ${sanitizeLine(missing[0].name)}.`);
  return Object.fromEntries(filled.flatMap(([{ name }, lines]) => (lines.length === 0 ? [] : [[name, lines]])));
}

/** A secret may have spaces at its ends. */
function linesOf({ repeated, secret }: RegistryInputField, text: string): string[] {
  if (repeated) return text.split("\n").filter((line) => line.trim() !== "");
  const value = secret ? text : text.trim();
  return value === "" ? [] : [value];
}
