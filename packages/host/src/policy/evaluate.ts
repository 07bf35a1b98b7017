/** Whether a call may run. Pure: who is asked, and what they say, is `permit`'s business. */
import type { JsonObject } from "@plugboard/contracts";
import { matchesArguments } from "./match-arguments.ts";
import { NATIVE_SERVER_ID } from "../names/name-table.ts";
import type { Effect, Rule } from "./rule.ts";

export interface PolicyRequest {
  readonly server: string;
  readonly tool: string;
  readonly arguments?: JsonObject;
}

/** What counts where no rule decides. */
export interface PolicyDefaults {
  /** Making the call is consenting to it: a person typed it, or approved it at a front that may approve. */
  readonly ownConsent: boolean;
  /** A server whose annotations are trusted says that the tool changes nothing; see `isHarmless`. */
  readonly readOnly?: boolean;
}

export interface Evaluation {
  readonly effect: Effect;
  /** The rule that decided; absent when it was the default. */
  readonly rule?: Rule;
}

/** The rules about one tool, in the order in which they decide. */
export interface ToolRules {
  /** Denies whatever the arguments are. */
  readonly denyRule: Rule | undefined;
  /** Decides if none that looks at the arguments does. */
  readonly generalRule: Rule | undefined;
  /** Those that look at the arguments: denials first, then the most specific. */
  readonly argumentRules: readonly Rule[];
}

/**
 * Deny wins; otherwise the most specific rule decides, and asks on a tie. Without a rule it is asked, except for tools
 * of the host itself and for what the defaults say. A written `ask` still asks.
 */
export function evaluate(rules: readonly Rule[], call: PolicyRequest, defaults: PolicyDefaults): Evaluation {
  return decide(rulesForTool(rules, call), call, defaults);
}

/** Denied whatever the arguments: such a tool need not be shown to a model. */
export function isAlwaysDenied(rules: readonly Rule[], call: Pick<PolicyRequest, "server" | "tool">): boolean {
  return rulesForTool(rules, call).denyRule !== undefined;
}

/** Denies every tool of the servers that it is about, whatever the arguments. */
export function deniesWholeServer({ effect, tool, arguments: patterns }: Rule): boolean {
  return effect === "deny" && patterns.length === 0 && !tool.exact && tool.literalLength === 0;
}

export function rulesForTool(
  rules: readonly Rule[],
  { server, tool }: Pick<PolicyRequest, "server" | "tool">,
): ToolRules {
  const matching = rules
    .filter((rule) => isEffective(rule) && rule.server.matches(server) && rule.tool.matches(tool))
    .toSorted(byPrecedence);
  const [general, argumentRules] = [
    matching.filter((rule) => !hasArgumentPatterns(rule)),
    matching.filter(hasArgumentPatterns),
  ];
  return {
    denyRule: general.find(({ effect }) => effect === "deny"),
    generalRule: general.find(({ effect }) => effect !== "deny"),
    argumentRules,
  };
}

export function decide(
  { denyRule, generalRule, argumentRules }: ToolRules,
  call: PolicyRequest,
  defaults: PolicyDefaults,
): Evaluation {
  if (denyRule) return { effect: "deny", rule: denyRule };
  const args = call.arguments ?? {};
  const rule = argumentRules.find((one) => matchesArguments(one, args)) ?? generalRule;
  if (rule) return { effect: rule.effect, rule };
  return defaults.ownConsent || defaults.readOnly || call.server === NATIVE_SERVER_ID ? ALLOWED : ASKED;
}

const ALLOWED: Evaluation = { effect: "allow" };
const ASKED: Evaluation = { effect: "ask" };

/** Files that came with a project may restrict, never permit, whoever read them. */
function isEffective({ effect, source }: Rule): boolean {
  return effect !== "allow" || (source !== "project" && source !== "local");
}

function hasArgumentPatterns(rule: Rule): boolean {
  return rule.arguments.length > 0;
}

function byPrecedence(a: Rule, b: Rule): number {
  const [ranksA, ranksB] = [precedenceOf(a), precedenceOf(b)];
  const at = ranksA.findIndex((rank, at) => rank !== ranksB[at]);
  return at < 0 ? 0 : ranksB[at]! - ranksA[at]!;
}

/**
 * A denial; then how many arguments it looks at, what is fixed of them; then exact tool, what is fixed of the tool,
 * exact server, what is fixed of the server; and on a tie one that asks.
 */
function precedenceOf({ effect, tool, server, arguments: patterns }: Rule): number[] {
  return [
    Number(effect === "deny"),
    patterns.length,
    patterns.filter(({ value }) => value.exact).length,
    patterns.reduce((sum, { value }) => sum + value.literalLength, 0),
    Number(tool.exact),
    tool.literalLength,
    Number(server.exact),
    server.literalLength,
    Number(effect === "ask"),
  ];
}
