/** Lists the permission rules of all files, and adds and removes rules of a scope. */
import { HostError } from "@plugboard/contracts";
import type {
  AddedRules,
  PermissionRule,
  RemoveRulesOptions,
  RuleEffect,
  RuleFilter,
  RuleScope,
} from "@plugboard/contracts";
import { parseRuleOrError, requireScopeFiles } from "@plugboard/config";
import type { ConfigScope } from "@plugboard/config";
import { editConfig, inspectConfig } from "@plugboard/config/edit";
import { byPrecedence } from "../../policy/policy.ts";
import type { OperationsPlace } from "../operations-context.ts";
import { findUnknownTargets } from "./unknown-rule-targets.ts";

export async function listRules(
  place: OperationsPlace,
  { server: serverId, tool: toolName }: RuleFilter = {},
): Promise<PermissionRule[]> {
  const rules = (await inspectConfig(place))
    .flatMap(({ file, source, layer }) => (layer?.rules ?? []).map((rule) => ({ rule, source, file })))
    .filter(({ rule }) => serverId === undefined || rule.server.matches(serverId))
    .filter(({ rule }) => toolName === undefined || rule.tool.matches(toolName));
  const isOneTool = serverId !== undefined && toolName !== undefined;
  return (isOneTool ? rules.toSorted((a, b) => byPrecedence(a.rule, b.rule)) : rules).map(
    ({ rule: { effect, text }, source, file }) => ({ effect, rule: text, source, file }),
  );
}

/**
 * Writes to the file of the scope with the highest priority. Removes equal rules with another effect from the scope.
 * Checks all rules before it changes anything.
 */
export async function addRules(
  effect: RuleEffect,
  rules: readonly string[],
  { scope = "user" }: RuleScope,
  place: OperationsPlace,
): Promise<AddedRules> {
  if (effect === "allow" && scope !== "user")
    throw usageError("a project's file can deny and ask, but not allow; use --scope user");
  for (const rule of rules) checkRule(rule, effect);
  const { files } = await requireScopeFiles(scope, place.cwd, place.env);
  const file = files.at(-1)!;
  const added: string[] = [];
  for (const rule of rules) {
    const { changed } = await editConfig(file, { type: "add_rule", effect, rule }, scope);
    if (changed) added.push(rule);
  }
  const isReplaced = (other: PermissionRule) => rules.includes(other.rule) && other.effect !== effect;
  const replaced = (await rulesOf(scope, place)).filter(isReplaced);
  await deleteRules(replaced, scope);
  return { scope, file, added, replaced, unknown: await findUnknownTargets(rules, place) };
}

export async function removeRules(
  { scope = "user", rules = [], all = false }: RemoveRulesOptions,
  place: OperationsPlace,
): Promise<PermissionRule[]> {
  await requireScopeFiles(scope, place.cwd, place.env);
  const removed = (await rulesOf(scope, place)).filter(({ rule }) => all || rules.includes(rule));
  await deleteRules(removed, scope);
  return removed;
}

async function rulesOf(scope: ConfigScope, place: OperationsPlace): Promise<PermissionRule[]> {
  return (await listRules(place)).filter(({ source }) => source === scope);
}

async function deleteRules(rules: readonly PermissionRule[], scope: ConfigScope): Promise<void> {
  for (const { file, effect, rule } of rules) await editConfig(file, { type: "remove_rule", effect, rule }, scope);
}

/** Throws USAGE for an invalid rule. */
function checkRule(rule: string, effect: RuleEffect): void {
  const parsed = parseRuleOrError(effect, rule);
  if (!("error" in parsed)) return;
  const isServer = /^[a-zA-Z0-9_-]+$/.test(rule);
  const reason = isServer ? `for all tools of the server, write ${rule}:*` : parsed.error;
  throw usageError(`${JSON.stringify(rule)} is not a rule: ${reason}`);
}

function usageError(message: string): HostError {
  return new HostError("USAGE", { message });
}
