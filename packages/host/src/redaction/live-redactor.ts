/** A redactor for one connection. Masks the secrets of its definition and the current and recent secrets of its login. */
import type { Redactor } from "@plugboard/mcp";
import { createRedactor } from "./redactor.ts";

/** A source of secrets that change, such as the tokens of a login. */
export interface SecretSource {
  secrets(): readonly string[];
}

/** How many secrets of the source are remembered. The oldest are dropped first. */
const MAX_RECENT_SECRETS = 12;

/** Returns undefined if there are no secrets and no source of secrets. */
export function liveRedactor(secrets: readonly string[], source: SecretSource | undefined): Redactor | undefined {
  if (!source) return createRedactor(secrets);
  let recent: readonly string[] = [];
  let redactor = createRedactor(secrets);
  const current = () => {
    // An answer may quote a token that was replaced after the request was sent.
    const added = source.secrets().filter((secret) => !recent.includes(secret));
    if (added.length === 0) return redactor;
    recent = [...added, ...recent].slice(0, MAX_RECENT_SECRETS);
    return (redactor = createRedactor([...secrets, ...recent]));
  };
  return { text: (text) => current()?.text(text) ?? text, error: (error) => current()?.error(error) ?? error };
}
