/** `${…}` in the texts of a definition, replaced by what the environment has. */
import { HostError } from "@plugboard/contracts";
import { replaceReferences, wrongReference } from "./references.ts";

export type Env = { readonly [name: string]: string | undefined };

/** Throws SERVER_INVALID for a variable that is not set. */
export function expand(text: string, env: Env, server: string): string {
  const wrong = wrongReference(text);
  if (wrong !== undefined) throw invalidServer(server, `a text ${wrong}`);
  return replaceReferences(text, ({ name, fallback }) => {
    const set = Object.hasOwn(env, name) ? env[name] : undefined;
    const found = set || fallback;
    if (found !== undefined) return found;
    const state = set === "" ? "empty" : "not set";
    throw invalidServer(server, `\${${name}} needs the environment variable ${name}, which is ${state}`);
  });
}

export function invalidServer(server: string, what: string): HostError {
  return new HostError("SERVER_INVALID", { server, what });
}
