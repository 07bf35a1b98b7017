/** Checks the user's answer to an input of a registry's server. */
import { validateEnvReferences } from "../lib/env-references.ts";
import type { ChoiceInput } from "./server-choice.ts";

/** Returns an error message that follows the name of the input, or undefined if the answer is valid. */
export function checkAnswer({ choices, format, secret }: ChoiceInput, answer: string): string | undefined {
  if (answer === "") return "must not be empty";
  if (choices && !choices.includes(answer)) return `must be one of: ${choices.join(", ")}`;
  if (format === "boolean" && answer !== "true" && answer !== "false") return "must be true or false";
  if (format === "number" && !Number.isFinite(Number(answer))) return "must be a number";
  // A secret is stored as it is, everything else becomes part of a config file.
  return secret ? undefined : validateEnvReferences(answer);
}
