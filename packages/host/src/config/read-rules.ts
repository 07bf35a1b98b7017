/**
 * The permission rules of one file. One that can't be understood is refused: it
 * may be a denial. A project may forbid and have asked, and never allow.
 */
import type { Source } from "@plugboard/contracts";
import type { Node } from "jsonc-parser";
import { nearest } from "../names/nearest.ts";
import { EFFECTS, parseRule } from "../policy/rule.ts";
import type { Effect, Rule } from "../policy/rule.ts";
import { members, valueOf } from "./config-text.ts";
import { didYouMean, quote } from "./findings.ts";
import type { Findings } from "./findings.ts";
import { isProjects, MOST_RULES } from "./project-limits.ts";

/** A rule, and where it was written. */
export interface ConfiguredRule extends Rule {
  readonly source: Source;
  readonly file: string;
}

export function readRules(permissions: Node | undefined, findings: Findings, source: Source): ConfiguredRule[] {
  if (!permissions) return [];
  if (permissions.type !== "object") throw findings.refusal(permissions, '"permissions" must be an object');
  findings.refuseRepeated(permissions, EFFECTS);
  return members(permissions).flatMap(({ key, at, value }) => {
    const effect = EFFECTS.find((known) => known === key);
    if (!effect) {
      const near = didYouMean(nearest(key, EFFECTS));
      throw findings.refusal(at, `${quote(key)} is not one of ${EFFECTS.join(", ")}${near}`);
    }
    if (isProjects(source) && (value.children?.length ?? 0) > MOST_RULES) {
      throw findings.refusal(at, `a project's file may have ${MOST_RULES} rules of a kind, and this has more`);
    }
    const rules = readList(effect, value, findings).map((rule) => ({ ...rule, source, file: findings.file }));
    if (effect !== "allow" || !isProjects(source) || rules.length === 0) return rules;
    findings.notFromProject(at, "allow");
    return [];
  });
}

function readList(effect: Effect, list: Node, findings: Findings): Rule[] {
  if (list.type !== "array") {
    throw findings.refusal(list, `"${effect}" must be an array of rules like "server:tool"`);
  }
  return (list.children ?? []).map((item) => {
    const text = valueOf(item);
    const rule = typeof text === "string" ? parseRule(effect, text) : undefined;
    if (rule) return rule;
    const what = `${quote(text)} is not a rule; write "server:tool", with * for any part`;
    throw findings.refusal(item, what);
  });
}
