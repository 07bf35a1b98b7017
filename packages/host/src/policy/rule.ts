/** A permission rule: an effect on the calls that `server:tool`, and patterns for their arguments, match. */
import type { ConfigSource } from "@plugboard/contracts";
import { parseGlob } from "../lib/glob.ts";
import type { Glob } from "../lib/glob.ts";
import { parseArgumentPatterns } from "./argument-pattern.ts";
import type { ArgumentPattern } from "./argument-pattern.ts";

export const EFFECTS = ["allow", "ask", "deny"] as const;
export type Effect = (typeof EFFECTS)[number];

export interface Rule {
  readonly effect: Effect;
  /** As the user wrote it. */
  readonly text: string;
  readonly server: Glob;
  readonly tool: Glob;
  /** All of them must hold; none means that the arguments don't matter. */
  readonly arguments: readonly ArgumentPattern[];
  /** The layer it came from. */
  readonly source?: ConfigSource;
}

const MAX_LENGTH = 4000;

/** Nothing for a text that is not a rule; `readRule` says why. */
export function parseRule(effect: Effect, text: string, source?: ConfigSource): Rule | undefined {
  const rule = parseRuleOrError(effect, text, source);
  return "wrong" in rule ? undefined : rule;
}

/** `*` alone means every tool of every server. What is wrong is said as the end of a sentence. */
export function parseRuleOrError(
  effect: Effect,
  text: string,
  source?: ConfigSource,
): Rule | { readonly wrong: string } {
  if (text.length > MAX_LENGTH) return { wrong: `it is longer than ${MAX_LENGTH} characters` };
  const bracket = text.indexOf("(");
  const head = bracket < 0 ? text : text.slice(0, bracket);
  const colon = head.indexOf(":");
  const [server, tool] = text === "*" ? ["*", "*"] : [head.slice(0, Math.max(colon, 0)), head.slice(colon + 1)];
  const wrong = text === "*" ? undefined : validateRuleNames(colon, server, tool);
  if (wrong !== undefined) return { wrong };
  const patterns = bracket < 0 ? [] : parseArgumentPatterns(text, bracket);
  if ("wrong" in patterns) return patterns;
  return {
    effect,
    text,
    server: parseGlob(server),
    tool: parseGlob(tool),
    arguments: patterns,
    ...(source && { source }),
  };
}

function validateRuleNames(colon: number, server: string, tool: string): string | undefined {
  if (colon < 0) return 'it names no tool; write "server:tool", with * for any part';
  if (server === "") return "the server is missing before the colon";
  if (!/^[a-zA-Z0-9_*-]+$/.test(server)) {
    return `${JSON.stringify(server)} can't be a server: an id has only A–Z a–z 0–9 _ -, and * stands for any part`;
  }
  if (tool === "") return "the tool is missing after the colon";
  return /[\s)]/.test(tool) ? `${JSON.stringify(tool)} can't be a tool: no spaces or parentheses` : undefined;
}
