/** What must not be told of a connection: what its definition holds, and what it is logged in with at the moment. */
import type { Concealer } from "@plugboard/mcp";
import { concealing } from "../activity/conceal.ts";
import type { Access } from "./access.ts";

/** Nothing where there is nothing to conceal, and never will be. */
export function concealingNow(secrets: readonly string[], access: Access | undefined): Concealer | undefined {
  if (!access) return concealing(secrets);
  let recent: readonly string[] = [];
  let concealer = concealing(secrets);
  const now = () => {
    // What was sent just now may be quoted a moment after it was replaced.
    const added = access.secrets().filter((secret) => !recent.includes(secret));
    if (added.length === 0) return concealer;
    recent = [...added, ...recent].slice(0, MOST);
    return (concealer = concealing([...secrets, ...recent]));
  };
  return { text: (said) => now()?.text(said) ?? said, error: (error) => now()?.error(error) ?? error };
}

/** Of those that were sent one after another. */
const MOST = 12;
