/** What `plugboard doctor` finds, and the form of its checks. */
import type { Facts } from "../facts/facts.ts";

type Severity = "ok" | "warning" | "error";

export interface Finding {
  /** The name of the check, such as `command`. */
  readonly check: string;
  readonly severity: Severity;
  /** The id of the server that it is about. */
  readonly server?: string;
  /** What was found, as a sentence. */
  readonly message: string;
  /** What to do, as a sentence. */
  readonly fix?: string;
}

/** Pure: all effects are in `gather-facts.ts`. */
export type Check = (facts: Facts) => readonly Finding[];

const RANK: { readonly [S in Severity]: number } = { error: 0, warning: 1, ok: 2 };

/** Returns the errors first, then the warnings. */
export function bySeverity(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);
}
