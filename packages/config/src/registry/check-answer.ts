/** Checks the user's answers to the inputs of a registry's server. */
import type { RegistryInputField } from "@plugboard/contracts";
import { HostError } from "@plugboard/contracts";
import { validateEnvReferences } from "../lib/env-references.ts";
import type { InputAnswers } from "./fill-choice.ts";
import type { SupportedChoice } from "./server-choice.ts";

/** Returns an error message to put after the name of the input, or undefined if the answer is valid. */
export function checkAnswer({ choices, format, secret }: RegistryInputField, answer: string): string | undefined {
  if (answer === "") return "must not be empty";
  if (choices && !choices.includes(answer)) return `must be one of: ${choices.join(", ")}`;
  if (format === "boolean" && answer !== "true" && answer !== "false") return "must be true or false";
  if (format === "number" && !Number.isFinite(Number(answer))) return "must be a number";
  // A secret is stored as it is, everything else becomes part of a config file.
  return secret ? undefined : validateEnvReferences(answer);
}

/** Throws USAGE for an unknown input and for an invalid answer. */
export function checkAnswers({ inputs }: SupportedChoice, answers: InputAnswers): void {
  for (const [name, texts] of Object.entries(answers)) {
    const input = inputs.find((known) => known.name === name);
    const known = inputs.map((other) => other.name).join(", ") || "none";
    if (!input) throw invalidAnswer(`the server has no input "${name}". Its inputs: ${known}`);
    const problem = texts.map((text) => checkAnswer(input, text)).find((found) => found !== undefined);
    if (problem !== undefined) throw invalidAnswer(`the value of "${name}" ${problem}`);
    if (texts.length > 1 && !input.repeated) throw invalidAnswer(`"${name}" takes one value`);
  }
}

function invalidAnswer(message: string): HostError {
  return new HostError("USAGE", { message, omitHelp: true });
}
