/** Whether a call may run. Pure: who is asked, and what they say, is the inbox's business. */
import type { Effect, Rule } from "./rule.ts";

export interface Verdict {
  readonly effect: Effect;
  /** The rule that decided; absent when it was the default. */
  readonly rule?: Rule;
}

/**
 * Deny wins; otherwise the most specific rule decides, and asks on a tie. Without a rule it is asked, unless the call
 * is its own consent: a person typed it, or approved it at a front that may approve. A written `ask` still asks.
 */
export function evaluate(rules: readonly Rule[], call: { server: string; tool: string }, ownConsent: boolean): Verdict {
  const matching = rules.filter((rule) => rule.server.matches(call.server) && rule.tool.matches(call.tool));
  const denial = matching.find((rule) => rule.effect === "deny");
  if (denial) return { effect: "deny", rule: denial };
  const [first] = matching;
  if (!first) return { effect: ownConsent ? "allow" : "ask" };
  const rule = matching.reduce((best, other) => (outranks(other, best) ? other : best), first);
  return { effect: rule.effect, rule };
}

function outranks(a: Rule, b: Rule): boolean {
  const [ranksA, ranksB] = [ranks(a), ranks(b)];
  for (const [at, rank] of ranksA.entries()) {
    if (rank !== ranksB[at]) return rank > ranksB[at]!;
  }
  return a.effect === "ask";
}

/** Exact tool, then what is fixed of the tool, then exact server, then what is fixed of the server. */
function ranks({ tool, server }: Rule): number[] {
  return [Number(tool.exact), tool.literals, Number(server.exact), server.literals];
}
