/** Replaces `${…}` in the strings of a definition with environment variables. */
import { HostError } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import { replaceEnvReferences, validateEnvReferences } from "./env-references.ts";

/** Throws SERVER_INVALID for a reference without a default to a variable that is not set or is empty. */
export function expandEnvReferences(text: string, env: Env, server: string): string {
  const problem = validateEnvReferences(text);
  if (problem !== undefined) throw invalidServerError(server, `a value ${problem}`);
  return replaceEnvReferences(text, ({ name, fallback }) => {
    const envValue = Object.hasOwn(env, name) ? env[name] : undefined;
    const replacement = envValue || fallback;
    if (replacement !== undefined) return replacement;
    const state = envValue === "" ? "empty" : "not set";
    const reason = `\${${name}} needs the environment variable ${name}, which is ${state}`;
    throw new HostError("SERVER_INVALID", { server, reason, variable: name });
  });
}

export function invalidServerError(server: string, reason: string): HostError {
  return new HostError("SERVER_INVALID", { server, reason });
}
