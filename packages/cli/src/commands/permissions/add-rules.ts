/** Implements `plugboard permissions allow`, `ask` and `deny`. */
import { HostError } from "@plugboard/contracts";
import type { AddedRules, EditableScope, PermissionRule, RuleEffect, UnknownRuleTarget } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

export interface RuleInput {
  readonly rules: readonly string[];
  readonly scope: EditableScope | undefined;
  readonly json: boolean;
}

/** Adds rules, and removes the same rules with another effect from the scope, because they would still apply. */
export async function addRules(input: RuleInput, effect: RuleEffect, cli: CliContext): Promise<number> {
  const { rules, scope = "user", json } = input;
  const { stdout, stderr } = cli;
  const result = await withOperations(cli, (operations) => operations.addRules(effect, rules, { scope })).catch(
    (thrown: unknown) => {
      throw withHelp(thrown, `permissions ${effect}`);
    },
  );
  const { file, added, replaced } = result;
  stderr.write(result.unknown.map(describeUnknown).join(""));
  if (json) stdout.json({ effect, rules, scope, file, added, replaced: replaced.map(withoutSource) });
  else stdout.write([...rules.map((rule) => describeAdded(rule, result, effect)), ...replaced.map(describeRemoved)]);
  return 0;
}

/** Names the help of the command in the error of an invalid rule. */
function withHelp(thrown: unknown, command: string): unknown {
  if (!(thrown instanceof HostError) || thrown.code !== "USAGE") return thrown;
  const { details } = thrown as HostError<"USAGE">;
  return details.omitHelp ? thrown : new HostError("USAGE", { ...details, command }, { cause: thrown });
}

function describeUnknown({ server, tool, suggestion }: UnknownRuleTarget): string {
  const name = tool === undefined ? `there is no server "${server}" here` : `"${server}" has no tool "${tool}"`;
  return `warning: ${name}${suggestion === undefined ? "" : `; did you mean "${suggestion}"?`}\n`;
}

/** The command has only one scope, so it does not print the source of each rule. */
export function withoutSource({ effect, rule, file }: PermissionRule): Omit<PermissionRule, "source"> {
  return { effect, rule, file };
}

export function describeRemoved({ effect, rule, file }: PermissionRule): string {
  return `Removed ${effect} ${rule} from ${file}\n`;
}

function describeAdded(rule: string, { added, file }: AddedRules, effect: RuleEffect): string {
  return added.includes(rule) ? `Added ${effect} ${rule} to ${file}\n` : `${file} has ${effect} ${rule} already\n`;
}
