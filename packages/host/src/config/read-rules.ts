/** The permission rules of one file. One that can't be understood is refused: it may be a denial. */
import type { Node } from "jsonc-parser";
import { nearest } from "../names/nearest.ts";
import { EFFECTS, parseRule } from "../policy/rule.ts";
import type { Effect, Rule } from "../policy/rule.ts";
import { members, valueOf } from "./config-text.ts";
import { didYouMean } from "./findings.ts";
import type { Findings } from "./findings.ts";

export function readRules(permissions: Node | undefined, findings: Findings): Rule[] {
  if (!permissions) return [];
  if (permissions.type !== "object") throw findings.refusal(permissions, '"permissions" must be an object');
  findings.refuseRepeated(permissions, EFFECTS);
  return members(permissions).flatMap(({ key, at, value }) => {
    const effect = EFFECTS.find((known) => known === key);
    if (effect) return readList(effect, value, findings);
    throw findings.refusal(at, `"${key}" is not one of ${EFFECTS.join(", ")}${didYouMean(nearest(key, EFFECTS))}`);
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
    const what = `${JSON.stringify(text)} is not a rule; write "server:tool", with * for any part`;
    throw findings.refusal(item, what);
  });
}
