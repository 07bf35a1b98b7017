/** The environment variables that choose a model or hold its key. Pure. */
import { PROVIDERS } from "../models/providers.ts";

/**
 * Returns their names. A client sends these variables with a chat, because the host may have been started elsewhere.
 */
export function modelVariables(): readonly string[] {
  const ofProviders = Object.values(PROVIDERS).flatMap(({ keyVariable, urlVariable }) => [keyVariable, urlVariable]);
  const names = ["PLUGBOARD_MODEL", "PLUGBOARD_MODEL_URL", ...ofProviders];
  return [...new Set(names.filter((name) => name !== undefined))];
}

type Env = { readonly [name: string]: string | undefined };

const OWN_VARIABLES = ["PLUGBOARD_MODEL", "PLUGBOARD_MODEL_URL", "PLUGBOARD_MODEL_KEY"];

/**
 * Merges the variables of the host and of a chat's client. Those of the client win. The URL and the key of a provider
 * always come from the same side, so that the host's key is never sent to the client's URL, nor the reverse.
 */
export function mergeModelVariables(host: Env, client: Env): Env {
  const groups = [OWN_VARIABLES, ...Object.values(PROVIDERS).map((one) => [one.urlVariable, one.keyVariable])];
  // This URL may be used with any provider, so all keys of the host are hidden.
  const replaced = client["PLUGBOARD_MODEL_URL"] ? groups : groups.filter((names) => names.some(isSetIn(client)));
  const hidden = new Set(replaced.flat());
  return { ...Object.fromEntries(Object.entries(host).filter(([name]) => !hidden.has(name))), ...client };
}

function isSetIn(env: Env): (name: string | undefined) => boolean {
  return (name) => name !== undefined && Boolean(env[name]);
}
