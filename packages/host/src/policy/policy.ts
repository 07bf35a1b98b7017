/**
 * The permission rules of a workspace. Finds the rules for a tool once, and caches them for later calls. A policy is
 * immutable: when the rules change, a new policy replaces it.
 */
import type { ToolKey } from "../names/name-table.ts";
import type { Rule } from "@plugboard/config";

/** The rules for one tool. */
export interface ToolRules {
  /** Denies the tool for any arguments. */
  readonly denyRule: Rule | undefined;
  /** Decides if no rule in `argumentRules` matches. */
  readonly generalRule: Rule | undefined;
  /** The rules with argument patterns: denials first, then the most specific. */
  readonly argumentRules: readonly Rule[];
}

/** Bounds the cache, because a caller may name tools that don't exist. */
const MAX_CACHED_TOOLS = 100_000;

export class Policy {
  readonly rules: readonly Rule[];
  readonly #servers = new Map<string, Map<string, ToolRules>>();
  #cachedTools = 0;

  constructor(rules: readonly Rule[]) {
    this.rules = rules;
  }

  rulesFor({ server, tool }: ToolKey): ToolRules {
    const cached = this.#servers.get(server)?.get(tool);
    if (cached) return cached;
    if (this.#cachedTools === MAX_CACHED_TOOLS) {
      this.#servers.clear();
      this.#cachedTools = 0;
    }
    const tools = this.#servers.get(server) ?? new Map<string, ToolRules>();
    const rules = selectRules(this.rules, { server, tool });
    this.#servers.set(server, tools.set(tool, rules));
    this.#cachedTools += 1;
    return rules;
  }

  /** Returns whether the tool is denied for any arguments. Such a tool is hidden from models. */
  isAlwaysDenied(tool: ToolKey): boolean {
    return this.rulesFor(tool).denyRule !== undefined;
  }

  /** Returns the rule that decides about every tool of the server, and about its resources and prompts. */
  findServerRule(server: string): Rule | undefined {
    return this.rules
      .filter((rule) => isEffective(rule) && coversWholeServer(rule) && rule.server.matches(server))
      .toSorted(byPrecedence)[0];
  }

  /** Returns the rule that denies every tool of the server. Its resources and prompts are denied with them. */
  findServerDenial(server: string): Rule | undefined {
    return this.rules.find((rule) => rule.effect === "deny" && coversWholeServer(rule) && rule.server.matches(server));
  }
}

/** Returns whether the rule matches every call of every tool of a server. */
export function coversWholeServer({ tool, arguments: patterns }: Rule): boolean {
  const matchesEveryTool = !tool.exact && tool.literalLength === 0;
  return patterns.length === 0 && matchesEveryTool;
}

function selectRules(rules: readonly Rule[], { server, tool }: ToolKey): ToolRules {
  const matching = rules
    .filter((rule) => isEffective(rule) && rule.server.matches(server) && rule.tool.matches(tool))
    .toSorted(byPrecedence);
  const general = matching.filter((rule) => !hasArgumentPatterns(rule));
  return {
    denyRule: general.find(({ effect }) => effect === "deny"),
    generalRule: general.find(({ effect }) => effect !== "deny"),
    argumentRules: matching.filter(hasArgumentPatterns),
  };
}

/** Returns false for an `allow` from a project's files: those files may restrict, but never permit. */
function isEffective({ effect, source }: Rule): boolean {
  return effect !== "allow" || (source !== "project" && source !== "local");
}

function hasArgumentPatterns(rule: Rule): boolean {
  return rule.arguments.length > 0;
}

/** Sorts the rules that match a call. The rule that decides comes first. */
export function byPrecedence(a: Rule, b: Rule): number {
  const [ranksA, ranksB] = [precedenceOf(a), precedenceOf(b)];
  const firstDifference = ranksA.findIndex((rank, index) => rank !== ranksB[index]);
  return firstDifference < 0 ? 0 : ranksB[firstDifference]! - ranksA[firstDifference]!;
}

/** Returns ranks, the most important first: `deny`, argument patterns, tool, server, and `ask`. A higher rank wins. */
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
