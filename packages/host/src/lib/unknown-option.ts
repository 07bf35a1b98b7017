/** Builds the errors for invalid options of a method: an unknown option, and options that are not an object. */
import { HostError, nearest } from "@plugboard/contracts";

/** Suggests the closest known option. */
export function unknownOption(
  method: string | undefined,
  option: string,
  known: Iterable<string>,
  kind = "option",
): HostError {
  const suggestion = nearest(option, known);
  return new HostError("OPTION_INVALID", {
    ...(method !== undefined && { method }),
    option,
    reason: `unknown ${kind} "${option}"`,
    ...(suggestion !== undefined && { suggestion }),
  });
}

export function optionsNotAnObject(method: string): HostError {
  return new HostError("OPTION_INVALID", { method, option: "options", reason: "the options must be an object" });
}
