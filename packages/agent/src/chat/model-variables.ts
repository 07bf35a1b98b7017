/** The environment variables that choose a model or hold its key. Pure. */
import { PROVIDERS } from "../models/providers.ts";

/** A client of a running host sends these variables with a chat, because the host may have been started elsewhere. */
export function modelVariables(): readonly string[] {
  const ofProviders = Object.values(PROVIDERS).flatMap(({ keyVariable, urlVariable }) => [keyVariable, urlVariable]);
  const names = ["PLUGBOARD_MODEL", "PLUGBOARD_MODEL_URL", ...ofProviders];
  return [...new Set(names.filter((name) => name !== undefined))];
}

type Env = { readonly [name: string]: string | undefined };

const OWN_VARIABLES = ["PLUGBOARD_MODEL", "PLUGBOARD_MODEL_URL", "PLUGBOARD_MODEL_KEY"];

/**
 * Returns the variables of the host and of a chat's client, which win. The URL and the key of a provider always come from
 * the same side, so that the key of one does not go to the URL of the other.
 */
export function mergeModelVariables(host: Env, client: Env): Env {
  const groups = [OWN_VARIABLES, ...Object.values(PROVIDERS).map((one) => [one.urlVariable, one.keyVariable])];
  // This URL may be used with the key of any provider.
  const replaced = client["PLUGBOARD_MODEL_URL"] ? groups : groups.filter((names) => names.some(isSetIn(client)));
  const hidden = new Set(replaced.flat());
  return { ...Object.fromEntries(Object.entries(host).filter(([name]) => !hidden.has(name))), ...client };
}

function isSetIn(env: Env): (name: string | undefined) => boolean {
  return (name) => name !== undefined && Boolean(env[name]);
}
