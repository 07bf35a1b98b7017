/**
 * Reads the permission rules of one file. Rejects a file with an invalid rule, because the rule may be a `deny`. A
 * project's file may deny and ask, but not allow.
 */
import type { ConfigSource } from "@plugboard/contracts";
import type { Node } from "jsonc-parser";
import { nearest } from "@plugboard/contracts";
import { EFFECTS, parseRuleOrError } from "../rules/rule.ts";
import type { Effect, Rule } from "../rules/rule.ts";
import { membersOf, nodeValue } from "../parse/members.ts";
import { didYouMean, quoteJson } from "../parse/diagnostics.ts";
import type { Diagnostics } from "../parse/diagnostics.ts";
import { isProjectSource, MAX_PROJECT_RULES } from "../definition/project-limits.ts";

/** A rule and its origin. */
export interface ConfiguredRule extends Rule {
  readonly source: ConfigSource;
  readonly file: string;
}

export function readRules(
  permissions: Node | undefined,
  diagnostics: Diagnostics,
  source: ConfigSource,
): ConfiguredRule[] {
  if (!permissions) return [];
  if (permissions.type !== "object") diagnostics.reject(permissions, '"permissions" must be an object');
  diagnostics.rejectDuplicates(permissions, EFFECTS);
  return membersOf(permissions).flatMap(({ key, keyNode, valueNode }) => {
    const effect = EFFECTS.find((candidate) => candidate === key);
    if (!effect) {
      const suggestion = didYouMean(nearest(key, EFFECTS));
      diagnostics.reject(keyNode, `${quoteJson(key)} is not one of ${EFFECTS.join(", ")}${suggestion}`);
      return [];
    }
    if (isProjectSource(source) && (valueNode.children?.length ?? 0) > MAX_PROJECT_RULES) {
      diagnostics.reject(keyNode, `a project's file may have at most ${MAX_PROJECT_RULES} rules per list`);
      return [];
    }
    const rules = readRuleList(effect, valueNode, diagnostics).map((rule) => ({
      ...rule,
      source,
      file: diagnostics.file,
    }));
    if (effect === "allow" && isProjectSource(source) && rules.length > 0) {
      diagnostics.warnIgnoredInProject(keyNode, "allow");
      return [];
    }
    return rules;
  });
}

function readRuleList(effect: Effect, list: Node, diagnostics: Diagnostics): Rule[] {
  if (list.type !== "array") diagnostics.reject(list, `"${effect}" must be an array of rules like "server:tool"`);
  return (list.children ?? []).flatMap((item) => {
    const text = nodeValue(item);
    const rule = typeof text === "string" ? parseRuleOrError(effect, text) : { error: "it must be a string" };
    if (!("error" in rule)) return [rule];
    diagnostics.reject(item, `${quoteJson(text)} is not a rule: ${rule.error}`);
    return [];
  });
}
