/** A permission rule: an effect on the tools that a `server:tool` pattern matches. */
import { parseGlob } from "../glob.ts";
import type { Glob } from "../glob.ts";

export const EFFECTS = ["allow", "ask", "deny"] as const;
export type Effect = (typeof EFFECTS)[number];

export interface Rule {
  readonly effect: Effect;
  /** As the user wrote it. */
  readonly text: string;
  readonly server: Glob;
  readonly tool: Glob;
}

const RULE = /^([a-zA-Z0-9_*-]+):([^()\s]+)$/;

/** Nothing for a text that is not a rule. `*` alone means every tool of every server. */
export function parseRule(effect: Effect, text: string): Rule | undefined {
  const parts = RULE.exec(text === "*" ? "*:*" : text);
  if (!parts) return undefined;
  return { effect, text, server: parseGlob(parts[1]!), tool: parseGlob(parts[2]!) };
}
