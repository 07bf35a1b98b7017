/** Implements `plugboard permissions list`. */
import type { PermissionRule, StoredDecision } from "@plugboard/contracts";
import { renderGrantee } from "../../render/render-grantee.ts";
import { renderScope } from "../../render/render-scope.ts";
import { renderTable } from "../../render/render-table.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { runWithOperations } from "../../workspace/run-with-operations.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";

/** Shows the rules of all layers and the stored decisions. */
export function listPermissions(input: CommandOptions, cli: CliContext): Promise<number> {
  const { stdout } = cli;
  return runWithOperations(input, cli, async ({ operations }) => {
    const rules = await operations.rules();
    const decisions = await operations.decisions();
    if (input.json) stdout.json({ rules, decisions: decisions.map(toJson) });
    else stdout.write(renderPermissions(rules, decisions));
    return 0;
  });
}

function toJson({ id, at, scope, server, tool, rule, grantee, lapsed }: StoredDecision): object {
  return { id, at, scope, grantee, server, tool, ...(rule !== undefined && { rule }), ...(lapsed && { lapsed }) };
}

function renderPermissions(rules: readonly PermissionRule[], decisions: readonly StoredDecision[]): string {
  const ruleTable =
    rules.length === 0
      ? "No rules. Add one with `plugboard permissions allow|ask|deny <server:tool>`.\n"
      : renderTable(
          ["EFFECT", "RULE", "SOURCE", "FILE"],
          rules.map(({ effect, rule, source, file }) => [effect, rule, source, file]),
        );
  if (decisions.length === 0) return ruleTable;
  const rows = decisions.map(({ id, at, server, tool, grantee, ...decision }) => [
    `${server}:${tool}`,
    renderScope(decision),
    renderGrantee(grantee),
    new Date(at).toISOString().slice(0, 10),
    id,
  ]);
  return `${ruleTable}\nCalls that you have allowed:\n${renderTable(["TOOL", "ALLOWED", "FOR", "SINCE", "ID"], rows)}`;
}
