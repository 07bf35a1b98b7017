/** What must not be told of a connection: what its definition holds, and what it is logged in with at the moment. */
import type { Redactor } from "@plugboard/mcp";
import { createRedactor } from "./redactor.ts";
import type { CredentialSource } from "../auth/credentials/credential-source.ts";

/** Nothing where there is nothing to conceal, and never will be. */
export function liveRedactor(
  secrets: readonly string[],
  credentials: CredentialSource | undefined,
): Redactor | undefined {
  if (!credentials) return createRedactor(secrets);
  let recent: readonly string[] = [];
  let redactor = createRedactor(secrets);
  const current = () => {
    // What was sent just now may be quoted a moment after it was replaced.
    const added = credentials.secrets().filter((secret) => !recent.includes(secret));
    if (added.length === 0) return redactor;
    recent = [...added, ...recent].slice(0, MAX_RECENT_SECRETS);
    return (redactor = createRedactor([...secrets, ...recent]));
  };
  return { text: (said) => current()?.text(said) ?? said, error: (error) => current()?.error(error) ?? error };
}

/** Of those that were sent one after another. */
const MAX_RECENT_SECRETS = 12;
