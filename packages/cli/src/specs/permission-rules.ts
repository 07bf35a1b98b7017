/** The commands that manage the permission rules. */
import { defineCommand, flag, hostOptions, oneOf, oneOrMore, rest } from "../command-line/command-spec.ts";
import type { CommandSpec } from "../command-line/command-spec.ts";

const scope = oneOf(["user", "project", "local"], "the config to change, by default your own", {
  spellings: { global: "user" },
});

const rules = oneOrMore("such as files:read_* or 'github:*(repo=acme/*)'", { label: "server:tool", completes: "tool" });

const permissionsList = defineCommand({
  name: "permissions list",
  summary: "show the permission rules, and your stored decisions: calls allowed for the session or always",
  options: hostOptions,
  examples: [{ line: "plugboard permissions list" }],
  output: "permissions-list",
  run: async (input, cli) => (await import("../commands/permissions/list-permissions.ts")).listPermissions(input, cli),
});

const permissionsAllow = ruleCommand({
  effect: "allow",
  summary: "let tool calls run without a question",
  priority: "A rule that denies overrides all others.",
  examples: [{ line: "plugboard permissions allow 'files:read_*' files:list_directory" }],
});

const permissionsAsk = ruleCommand({
  effect: "ask",
  summary: "ask before tool calls",
  priority: "A rule that denies overrides all others.",
  examples: [{ line: "plugboard permissions ask 'github:*'" }],
});

const permissionsDeny = ruleCommand({
  effect: "deny",
  summary: "deny tool calls",
  priority: "It overrides all rules that allow or ask.",
  examples: [
    { line: "plugboard permissions deny 'files:write_*'" },
    { line: "plugboard permissions deny '*:delete_*' --scope project" },
  ],
});

interface RuleCommand extends Pick<CommandSpec, "summary" | "examples"> {
  readonly effect: "allow" | "ask" | "deny";
  /** A sentence about other rules for the same call. */
  readonly priority: string;
}

function ruleCommand({ effect, summary, priority, examples }: RuleCommand): CommandSpec {
  return defineCommand({
    name: `permissions ${effect}`,
    summary,
    description: `If the rule exists with another effect, it is replaced. ${priority}`,
    arguments: { rules },
    options: { scope },
    examples,
    output: "permissions",
    run: async (input, cli) => (await import("../commands/permissions/add-rules.ts")).addRules(input, effect, cli),
  });
}

const permissionsReset = defineCommand({
  name: "permissions reset",
  summary: "remove rules and stored decisions",
  arguments: { names: rest("a rule, a tool as `server:tool`, or the id of a decision", { label: "rule" }) },
  options: {
    ...hostOptions,
    scope,
    all: flag("remove all rules of the config, and revoke all decisions"),
  },
  examples: [{ line: "plugboard permissions reset 'files:write_*'" }, { line: "plugboard permissions reset --all" }],
  output: "permissions-reset",
  run: async (input, cli) =>
    (await import("../commands/permissions/reset-permissions.ts")).resetPermissions(input, cli),
});

export const permissionRuleCommands = [
  permissionsList,
  permissionsAllow,
  permissionsAsk,
  permissionsDeny,
  permissionsReset,
];
