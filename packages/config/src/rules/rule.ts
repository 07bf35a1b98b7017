/**
 * Parses permission rules such as `files:read_*(path=/docs/*)`: patterns for the server, the tool and the arguments.
 */
import type { ConfigSource } from "@plugboard/contracts";
import { parseGlob } from "./glob.ts";
import type { Glob } from "./glob.ts";
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
  /** All patterns must match. Without patterns, the rule matches any arguments. */
  readonly arguments: readonly ArgumentPattern[];
  /** The config layer of the rule. */
  readonly source?: ConfigSource;
}

const MAX_LENGTH = 4000;

/** Lists of rules as the user wrote them. */
export type RuleTexts = { readonly [E in Effect]?: readonly string[] };

/** Leaves out invalid rules. */
export function parseRules(texts: RuleTexts): Rule[] {
  return EFFECTS.flatMap((effect) => (texts[effect] ?? []).flatMap((text) => parseRule(effect, text) ?? []));
}

/** Returns undefined for an invalid rule. `parseRuleOrError` says why. */
export function parseRule(effect: Effect, text: string, source?: ConfigSource): Rule | undefined {
  const rule = parseRuleOrError(effect, text, source);
  return "error" in rule ? undefined : rule;
}

/** Parses a rule. `*` alone matches every tool of every server. `error` says why the rule is invalid. */
export function parseRuleOrError(
  effect: Effect,
  text: string,
  source?: ConfigSource,
): Rule | { readonly error: string } {
  if (text.length > MAX_LENGTH) return { error: `it is longer than ${MAX_LENGTH} characters` };
  const openParen = text.indexOf("(");
  const serverAndTool = openParen < 0 ? text : text.slice(0, openParen);
  const colon = serverAndTool.indexOf(":");
  const [server, tool] =
    text === "*" ? ["*", "*"] : [serverAndTool.slice(0, Math.max(colon, 0)), serverAndTool.slice(colon + 1)];
  const error = text === "*" ? undefined : validateRuleNames(colon, server, tool);
  if (error !== undefined) return { error };
  const patterns = openParen < 0 ? [] : parseArgumentPatterns(text, openParen);
  if ("error" in patterns) return patterns;
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
  if (colon < 0) return 'it has no tool; write "server:tool", with * as a wildcard';
  if (server === "") return "the server is missing before the colon";
  if (!/^[a-zA-Z0-9_*-]+$/.test(server)) {
    return `${JSON.stringify(server)} is not a valid server: use A–Z a–z 0–9 _ - and the wildcard *`;
  }
  if (tool === "") return "the tool is missing after the colon";
  return /[\s)]/.test(tool)
    ? `${JSON.stringify(tool)} is not a valid tool: spaces and parentheses are not allowed`
    : undefined;
}
