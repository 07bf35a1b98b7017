/** Implements `plugboard permissions allow`, `ask` and `deny`. */
import { editConfig, inspectConfig } from "@plugboard/config/edit";
import { parseRuleOrError, requireScopeFiles } from "@plugboard/config";
import type { ConfigScope, Effect } from "@plugboard/config";
import type { InspectedFile } from "@plugboard/config/edit";
import { usageError } from "../../command-line/usage-error.ts";
import { warnUnknownServers } from "../config/warn-unknown-servers.ts";
import type { CliContext } from "../../terminal/cli-context.ts";

export interface RuleInput {
  readonly rules: readonly string[];
  readonly scope: ConfigScope | undefined;
  readonly json: boolean;
}

export interface FoundRule {
  readonly effect: Effect;
  readonly rule: string;
  readonly file: string;
}

/** Adds rules, and removes the same rules with another effect from the scope, because they would still apply. */
export async function addRules(input: RuleInput, effect: Effect, cli: CliContext): Promise<number> {
  const { rules, scope = "user", json } = input;
  const { cwd, env, stdout } = cli;
  const command = `permissions ${effect}`;
  if (effect === "allow" && scope !== "user")
    throw usageError("a project's file can deny and ask, but not allow; use --scope user", { command });
  for (const rule of rules) checkRule(rule, effect, command);
  const { files } = await requireScopeFiles(scope, cwd, env);
  const file = files.at(-1)!;
  const added: string[] = [];
  for (const rule of rules) {
    const { changed } = await editConfig(file, { type: "add_rule", effect, rule }, scope);
    if (changed) added.push(rule);
  }
  const replaced = findRules(
    await inspectConfig({ cwd, env }),
    scope,
    (other) => rules.includes(other.rule) && other.effect !== effect,
  );
  await removeRules(replaced, scope);
  await warnUnknownServers(rules.flatMap(serverOf), cli);
  if (json) stdout.json({ effect, rules, scope, file, added, replaced });
  else
    stdout.write(
      [
        ...rules.map((rule) => describeAdded(rule, added.includes(rule), effect, file)),
        ...replaced.map(describeRemoved),
      ].join(""),
    );
  return 0;
}

/** Returns the server that a rule names. Returns undefined for a pattern. */
function serverOf(rule: string): string[] {
  const [, server] = /^([\w-]+):/.exec(rule) ?? [];
  return server === undefined ? [] : [server];
}

/** Throws USAGE before any rule is added. */
function checkRule(rule: string, effect: Effect, command: string): void {
  const parsed = parseRuleOrError(effect, rule);
  if (!("error" in parsed)) return;
  const isServer = /^[a-zA-Z0-9_-]+$/.test(rule);
  const reason = isServer ? `for all tools of the server, write ${rule}:*` : parsed.error;
  throw usageError(`${JSON.stringify(rule)} is not a rule: ${reason}`, { command });
}

/** Returns the rules of a scope, as the files spell them. */
export function findRules(
  files: readonly InspectedFile[],
  scope: ConfigScope,
  isWanted: (rule: FoundRule) => boolean,
): FoundRule[] {
  return files
    .filter(({ source }) => source === scope)
    .flatMap(({ file, layer }) => (layer?.rules ?? []).map(({ effect, text }) => ({ effect, rule: text, file })))
    .filter(isWanted);
}

export async function removeRules(rules: readonly FoundRule[], scope: ConfigScope): Promise<void> {
  for (const { file, effect, rule } of rules) await editConfig(file, { type: "remove_rule", effect, rule }, scope);
}

export function describeRemoved({ effect, rule, file }: FoundRule): string {
  return `Removed ${effect} ${rule} from ${file}\n`;
}

function describeAdded(rule: string, isNew: boolean, effect: Effect, file: string): string {
  return isNew ? `Added ${effect} ${rule} to ${file}\n` : `${file} has ${effect} ${rule} already\n`;
}
