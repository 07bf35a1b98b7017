/**
 * A redactor for one connection. It masks the secrets of the definition and the current and recent tokens of the login.
 */
import type { Redactor } from "@plugboard/contracts";
import { createRedactor } from "./redactor.ts";

/** A source of secrets that change, such as the tokens of a login. */
interface SecretSource {
  secrets(): readonly string[];
}

/** How many secrets of the source are remembered. The oldest are dropped first. */
const MAX_RECENT_SECRETS = 12;

export function liveRedactor(secrets: readonly string[], source: SecretSource): Redactor {
  let recentSecrets: readonly string[] = [];
  let redactor = createRedactor(secrets);
  const currentRedactor = () => {
    // Old secrets stay masked, because an answer may quote a token that was replaced after the request was sent.
    const newSecrets = source.secrets().filter((secret) => !recentSecrets.includes(secret));
    if (newSecrets.length === 0) return redactor;
    recentSecrets = [...newSecrets, ...recentSecrets].slice(0, MAX_RECENT_SECRETS);
    return (redactor = createRedactor([...secrets, ...recentSecrets]));
  };
  return {
    text: (text) => currentRedactor()?.text(text) ?? text,
    error: (error) => currentRedactor()?.error(error) ?? error,
  };
}
