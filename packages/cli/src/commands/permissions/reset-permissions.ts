/** Implements `plugboard permissions reset`. */
import { HostError } from "@plugboard/contracts";
import type { EditableScope, Operations, PermissionRule, StoredDecision } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { withOperations } from "../../workspace/with-operations.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";
import { describeRemoved, withoutSource } from "./add-rules.ts";

interface ResetInput extends CommandOptions {
  readonly names: readonly string[];
  readonly scope: EditableScope | undefined;
  readonly all: boolean;
}

/** Removes rules from a scope, and revokes stored decisions, so that Plugboard asks again. */
export async function resetPermissions(input: ResetInput, cli: CliContext): Promise<number> {
  const { names, all } = input;
  if (all === names.length > 0)
    throw usageError("name a rule, a tool or a decision, or give --all", { command: "permissions reset" });
  return withWorkspace(input, cli, (context) =>
    withOperations(cli, (operations) => resetInWorkspace(input, context, operations, cli), input),
  );
}

async function resetInWorkspace(
  { names, scope = "user", all, json }: ResetInput,
  { workspace, interrupted }: CommandContext,
  operations: Operations,
  { stdout }: CliContext,
): Promise<number> {
  const known = await rejectOnInterrupt(operations.rules(), interrupted);
  const stored = await rejectOnInterrupt(workspace.permissions.decisions(), interrupted);
  const decisions = stored.filter((decision) => all || names.some((name) => isNamed(decision, name)));
  for (const name of names) requireMatch(name, scope, known, decisions);
  const rules = await rejectOnInterrupt(operations.removeRules({ scope, rules: names, all }), interrupted);
  for (const { id } of decisions) await rejectOnInterrupt(workspace.permissions.revoke(id), interrupted);
  if (json)
    stdout.json({
      rules: rules.map(withoutSource),
      decisions: decisions.map(({ id, server, tool }) => ({ id, server, tool })),
    });
  else stdout.write(renderReset(rules, decisions));
  return 0;
}

function isNamed({ id, server, tool }: StoredDecision, name: string): boolean {
  return id === name || `${server}:${tool}` === name;
}

/** Throws if a name matches neither a rule of the scope nor a decision. */
function requireMatch(
  name: string,
  scope: EditableScope,
  known: readonly PermissionRule[],
  decisions: readonly StoredDecision[],
): void {
  const rules = known.filter(({ rule }) => rule === name);
  if (rules.some(({ source }) => source === scope) || decisions.some((decision) => isNamed(decision, name))) return;
  const [other] = rules;
  if (!other) throw new HostError("NOT_FOUND", { subject: `rule or stored decision "${name}"` });
  const remedy = other.source === "managed" ? "only the administrator can change it" : `use --scope ${other.source}`;
  throw new HostError("USAGE", { message: `The rule "${name}" is in ${other.file}; ${remedy}`, omitHelp: true });
}

function renderReset(rules: readonly PermissionRule[], decisions: readonly StoredDecision[]): string {
  if (rules.length + decisions.length === 0) return "There are no rules or stored decisions to remove.\n";
  const revoked = decisions.map(({ server, tool }) => `Revoked the decision about ${server}:${tool}\n`);
  return [...rules.map(describeRemoved), ...revoked].join("");
}
