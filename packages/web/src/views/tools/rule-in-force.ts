/** Finds the rule that decides on the calls of a tool. Pure. */
import type { PermissionRule } from "@plugboard/contracts";

/**
 * `rules`: those of one tool, in their order. Ignores rules for certain arguments. Returns undefined if none is left.
 */
export function ruleInForce(rules: readonly PermissionRule[]): PermissionRule | undefined {
  const general = rules.filter((rule) => !hasArguments(rule) && isEffective(rule));
  return general.find(({ effect }) => effect === "deny") ?? general[0];
}

export function hasArguments({ rule }: Pick<PermissionRule, "rule">): boolean {
  return rule.includes("(");
}

/** The files of a project may restrict, but never permit. */
function isEffective({ effect, source }: PermissionRule): boolean {
  return effect !== "allow" || (source !== "project" && source !== "local");
}
