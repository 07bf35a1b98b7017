/** Parses `NAME=value` of `--env` and `Name: value` or `Name=value` of `--header`. Errors never quote a value. */
import type { HostError } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";

/** Throws USAGE if a pair is invalid or a name is given twice. */
export function parseEnv(pairs: readonly string[]): { [name: string]: string } {
  return collect("--env", pairs, (pair) => {
    const equals = pair.indexOf("=");
    return equals < 1 ? undefined : [pair.slice(0, equals), pair.slice(equals + 1)];
  });
}

/** The first `:` or `=` ends the name, because a header's name contains neither. */
export function parseHeaders(pairs: readonly string[]): { [name: string]: string } {
  return collect("--header", pairs, (pair) => {
    const end = pair.search(/[:=]/);
    return end < 1 ? undefined : [pair.slice(0, end).trim(), pair.slice(end + 1).trim()];
  });
}

const FORMS = { "--env": "NAME=value", "--header": "'Name: value'" };

function collect(
  option: keyof typeof FORMS,
  pairs: readonly string[],
  split: (pair: string) => [string, string] | undefined,
): { [name: string]: string } {
  const values = new Map<string, string>();
  for (const pair of pairs) {
    const [name, value] = split(pair) ?? [];
    // The text may be a secret whose name is missing, so it is not quoted.
    if (name === undefined || value === undefined) throw addError(`${option} must be of the form ${FORMS[option]}`);
    if (values.has(name)) throw addError(`${option} gives ${JSON.stringify(name)} twice`);
    values.set(name, value);
  }
  // `fromEntries` keeps a name such as `__proto__`.
  return Object.fromEntries(values);
}

export function addError(message: string): HostError {
  return usageError(message, { command: "add" });
}
