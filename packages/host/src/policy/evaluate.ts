/** Whether a call may run. Pure: who is asked, and what they say, is `permit`'s business. */
import type { JsonObject } from "@plugboard/contracts";
import { matchesArguments } from "./match-arguments.ts";
import { NATIVE } from "../names/name-table.ts";
import type { Effect, Rule } from "./rule.ts";

export interface ToolCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments?: JsonObject;
}

/** What counts where no rule decides. */
export interface Defaults {
  /** Making the call is consenting to it: a person typed it, or approved it at a front that may approve. */
  readonly ownConsent: boolean;
  /** A server whose annotations are trusted says that the tool changes nothing; see `isHarmless`. */
  readonly harmless?: boolean;
}

export interface Verdict {
  readonly effect: Effect;
  /** The rule that decided; absent when it was the default. */
  readonly rule?: Rule;
}

/** The rules about one tool, in the order in which they decide. */
export interface ToolRules {
  /** Denies whatever the arguments are. */
  readonly denial: Rule | undefined;
  /** Decides if none that looks at the arguments does. */
  readonly plain: Rule | undefined;
  /** Those that look at the arguments: denials first, then the most specific. */
  readonly looking: readonly Rule[];
}

/**
 * Deny wins; otherwise the most specific rule decides, and asks on a tie. Without a rule it is asked, except for tools
 * of the host itself and for what the defaults say. A written `ask` still asks.
 */
export function evaluate(rules: readonly Rule[], call: ToolCall, defaults: Defaults): Verdict {
  return decide(rulesOf(rules, call), call, defaults);
}

/** Denied whatever the arguments: such a tool need not be shown to a model. */
export function deniedOutright(rules: readonly Rule[], call: Pick<ToolCall, "server" | "tool">): boolean {
  return rulesOf(rules, call).denial !== undefined;
}

/** Denies every tool of the servers that it is about, whatever the arguments. */
export function deniesWhole({ effect, tool, arguments: patterns }: Rule): boolean {
  return effect === "deny" && patterns.length === 0 && !tool.exact && tool.literals === 0;
}

export function rulesOf(rules: readonly Rule[], { server, tool }: Pick<ToolCall, "server" | "tool">): ToolRules {
  const about = rules
    .filter((rule) => mayCount(rule) && rule.server.matches(server) && rule.tool.matches(tool))
    .toSorted(byPrecedence);
  const [plain, looking] = [about.filter((rule) => !looks(rule)), about.filter(looks)];
  return {
    denial: plain.find(({ effect }) => effect === "deny"),
    plain: plain.find(({ effect }) => effect !== "deny"),
    looking,
  };
}

export function decide({ denial, plain, looking }: ToolRules, call: ToolCall, defaults: Defaults): Verdict {
  if (denial) return { effect: "deny", rule: denial };
  const args = call.arguments ?? {};
  const rule = looking.find((one) => matchesArguments(one, args)) ?? plain;
  if (rule) return { effect: rule.effect, rule };
  return defaults.ownConsent || defaults.harmless || call.server === NATIVE ? ALLOWED : ASKED;
}

const ALLOWED: Verdict = { effect: "allow" };
const ASKED: Verdict = { effect: "ask" };

/** Files that came with a project may restrict, never permit, whoever read them. */
function mayCount({ effect, source }: Rule): boolean {
  return effect !== "allow" || (source !== "project" && source !== "local");
}

function looks(rule: Rule): boolean {
  return rule.arguments.length > 0;
}

function byPrecedence(a: Rule, b: Rule): number {
  const [ranksA, ranksB] = [ranks(a), ranks(b)];
  const at = ranksA.findIndex((rank, at) => rank !== ranksB[at]);
  return at < 0 ? 0 : ranksB[at]! - ranksA[at]!;
}

/**
 * A denial; then how many arguments it looks at, what is fixed of them; then exact tool, what is fixed of the tool,
 * exact server, what is fixed of the server; and on a tie one that asks.
 */
function ranks({ effect, tool, server, arguments: patterns }: Rule): number[] {
  return [
    Number(effect === "deny"),
    patterns.length,
    patterns.filter(({ value }) => value.exact).length,
    patterns.reduce((sum, { value }) => sum + value.literals, 0),
    Number(tool.exact),
    tool.literals,
    Number(server.exact),
    server.literals,
    Number(effect === "ask"),
  ];
}
