/** Implements `plugboard permissions reset`. */
import { HostError } from "@plugboard/contracts";
import type { EditableScope, Operations, PermissionRule, StoredDecision } from "@plugboard/contracts";
import { usageError } from "../../command-line/usage-error.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { runWithOperations } from "../../workspace/run-with-operations.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";
import { describeRemoved, withoutSource } from "./add-rules.ts";

interface ResetInput extends CommandOptions {
  readonly names: readonly string[];
  readonly scope: EditableScope | undefined;
  readonly all: boolean;
}

/** Removes rules from a scope, and revokes stored decisions, so that Plugboard asks again. */
export async function resetPermissions(input: ResetInput, cli: CliContext): Promise<number> {
  const { names, all } = input;
  const hasNames = names.length > 0;
  if (all === hasNames)
    throw usageError("name a rule, a tool or a decision, or give --all", { command: "permissions reset" });
  return runWithOperations(input, cli, ({ operations }) => reset(input, operations, cli));
}

async function reset(
  { names, scope = "user", all, json }: ResetInput,
  operations: Operations,
  { stdout }: CliContext,
): Promise<number> {
  const known = await operations.rules();
  const stored = await operations.decisions();
  const decisions = stored.filter((decision) => all || names.some((name) => isNamed(decision, name)));
  for (const name of names) requireMatch(name, scope, known, decisions);
  const rules = await operations.removeRules({ scope, rules: names, all });
  for (const { id } of decisions) await operations.revokeDecision(id);
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
