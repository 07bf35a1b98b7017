/** Checks a value that the user types for an input of a registry's server. */
import { HostError } from "@plugboard/contracts";
import type { RegistryInputField } from "@plugboard/contracts";

export async function checkRegistryValue(
  input: RegistryInputField,
  value: string,
): Promise<{ readonly problem?: string }> {
  if (input.choices !== undefined && !Array.isArray(input.choices))
    throw new HostError("USAGE", { message: "the choices of an input must be a list" });
  const { checkAnswer } = await import("@plugboard/config/registry");
  const problem = checkAnswer(input, value);
  return problem === undefined ? {} : { problem };
}
