/** Lists the permission rules of all files, and changes those of the user. */
import { HostError } from "@plugboard/contracts";
import type { PermissionRule, RuleEffect, RuleFilter } from "@plugboard/contracts";
import { byPrecedence } from "../policy/policy.ts";
import { editConfig, inspectConfig } from "@plugboard/config/edit";
import { parseRuleOrError, requireScopeFiles } from "@plugboard/config";
import type { OperationsPlace } from "./operations-context.ts";

export async function listRules(
  place: OperationsPlace,
  { server: serverId, tool: toolName }: RuleFilter = {},
): Promise<PermissionRule[]> {
  const files = await inspectConfig({ ...place, configFiles: place.configFiles });
  const rules = files
    .flatMap(({ file, source, layer }) => (layer?.rules ?? []).map((rule) => ({ rule, source, file })))
    .filter(({ rule }) => serverId === undefined || rule.server.matches(serverId))
    .filter(({ rule }) => toolName === undefined || rule.tool.matches(toolName));
  const isOneTool = serverId !== undefined && toolName !== undefined;
  return (isOneTool ? rules.toSorted((a, b) => byPrecedence(a.rule, b.rule)) : rules).map(
    ({ rule: { effect, text }, source, file }) => ({ effect, rule: text, source, file }),
  );
}

const EFFECTS: readonly RuleEffect[] = ["allow", "ask", "deny"];

/** Removes the same rule with another effect, because it would still apply. */
export async function setRule(rule: string, effect: RuleEffect | undefined, place: OperationsPlace): Promise<void> {
  const parsed = effect && parseRuleOrError(effect, rule);
  if (parsed && "error" in parsed)
    throw new HostError("USAGE", { message: `${JSON.stringify(rule)} is not a rule: ${parsed.error}`, omitHelp: true });
  const { files } = await requireScopeFiles("user", place.cwd, place.env);
  const [file] = files;
  if (effect) await editConfig(file, { type: "add_rule", effect, rule }, "user");
  for (const other of EFFECTS.filter((one) => one !== effect)) {
    await editConfig(file, { type: "remove_rule", effect: other, rule }, "user");
  }
}
