/** Implements `plugboard permissions reset`. */
import { HostError } from "@plugboard/contracts";
import type { StoredDecision } from "@plugboard/contracts";
import { inspectConfig } from "@plugboard/config/edit";
import { requireScopeFiles } from "@plugboard/config";
import type { ConfigScope } from "@plugboard/config";
import type { InspectedFile } from "@plugboard/config/edit";
import { usageError } from "../../command-line/usage-error.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";
import { describeRemoved, findRules, removeRules } from "./add-rules.ts";
import type { FoundRule } from "./add-rules.ts";

interface ResetInput extends CommandOptions {
  readonly names: readonly string[];
  readonly scope: ConfigScope | undefined;
  readonly all: boolean;
}

/** Removes rules from a scope, and revokes stored decisions, so that Plugboard asks again. */
export async function resetPermissions(input: ResetInput, cli: CliContext): Promise<number> {
  const { names, all } = input;
  if (all === names.length > 0)
    throw usageError("name a rule, a tool or a decision, or give --all", { command: "permissions reset" });
  return withWorkspace(input, cli, (context) => resetInWorkspace(input, context, cli));
}

async function resetInWorkspace(
  { names, scope = "user", all, json }: ResetInput,
  { workspace, interrupted }: CommandContext,
  { cwd, env, stdout }: CliContext,
): Promise<number> {
  await requireScopeFiles(scope, cwd, env);
  const files = await inspectConfig({ cwd, env });
  const rules = findRules(files, scope, ({ rule }) => all || names.includes(rule));
  const stored = await rejectOnInterrupt(workspace.permissions.decisions(), interrupted);
  const decisions = stored.filter((decision) => all || names.some((name) => isNamed(decision, name)));
  for (const name of names) requireMatch(name, rules, decisions, files);
  await removeRules(rules, scope);
  for (const { id } of decisions) await rejectOnInterrupt(workspace.permissions.revoke(id), interrupted);
  if (json) stdout.json({ rules, decisions: decisions.map(({ id, server, tool }) => ({ id, server, tool })) });
  else stdout.write(renderReset(rules, decisions));
  return 0;
}

function isNamed({ id, server, tool }: StoredDecision, name: string): boolean {
  return id === name || `${server}:${tool}` === name;
}

/** Throws if a name matches neither a rule of the scope nor a decision. */
function requireMatch(
  name: string,
  rules: readonly FoundRule[],
  decisions: readonly StoredDecision[],
  files: readonly InspectedFile[],
): void {
  if (rules.some(({ rule }) => rule === name) || decisions.some((decision) => isNamed(decision, name))) return;
  const other = files.find(({ layer }) => layer?.rules.some(({ text }) => text === name));
  if (!other) throw new HostError("NOT_FOUND", { subject: `rule or stored decision "${name}"` });
  const remedy = other.source === "managed" ? "only the administrator can change it" : `use --scope ${other.source}`;
  throw new HostError("USAGE", { message: `The rule "${name}" is in ${other.file}; ${remedy}`, omitHelp: true });
}

function renderReset(rules: readonly FoundRule[], decisions: readonly StoredDecision[]): string {
  if (rules.length + decisions.length === 0) return "There are no rules or stored decisions to remove.\n";
  const revoked = decisions.map(({ server, tool }) => `Revoked the decision about ${server}:${tool}\n`);
  return [...rules.map(describeRemoved), ...revoked].join("");
}
