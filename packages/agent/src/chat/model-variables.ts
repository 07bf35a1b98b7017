/** Lists the environment variables that choose a model or hold its key. Pure. */
import { PROVIDERS } from "../models/providers.ts";

/** A client of a running host sends these variables with a chat, because the host may have been started elsewhere. */
export function modelVariables(): readonly string[] {
  const ofProviders = Object.values(PROVIDERS).flatMap(({ keyVariable, urlVariable }) => [keyVariable, urlVariable]);
  const names = ["PLUGBOARD_MODEL", "PLUGBOARD_MODEL_URL", ...ofProviders];
  return [...new Set(names.filter((name) => name !== undefined))];
}
