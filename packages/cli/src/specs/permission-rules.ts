/** The commands that manage the permission rules. */
import { defineCommand, flag, hostOptions, oneOf, rest } from "../command-line/command-spec.ts";

const scope = oneOf(["user", "project", "local"], "the config to change, by default your own", {
  spellings: { global: "user" },
});

const rules = rest("such as files:read_* or 'github:*(repo=acme/*)'", { label: "server:tool", completes: "tool" });

const permissionsList = defineCommand({
  name: "permissions list",
  summary: "show the permission rules, and the calls that you have allowed for longer than once",
  options: hostOptions,
  examples: [{ line: "plugboard permissions list" }],
  output: "permissions-list",
  run: async (input, cli) => (await import("../commands/permissions/list.ts")).listPermissions(input, cli),
});

const permissionsAllow = defineCommand({
  name: "permissions allow",
  summary: "let tool calls run without a question",
  description: "The rule replaces the same rule with another effect. A rule that denies overrides all others.",
  arguments: { rules },
  options: { scope },
  examples: [{ line: "plugboard permissions allow 'files:read_*' files:list_directory" }],
  output: "permissions",
  run: async (input, cli) => (await import("../commands/permissions/rules.ts")).addRules(input, "allow", cli),
});

const permissionsAsk = defineCommand({
  name: "permissions ask",
  summary: "ask before tool calls",
  description: "The rule replaces the same rule with another effect. A rule that denies overrides all others.",
  arguments: { rules },
  options: { scope },
  examples: [{ line: "plugboard permissions ask 'github:*'" }],
  output: "permissions",
  run: async (input, cli) => (await import("../commands/permissions/rules.ts")).addRules(input, "ask", cli),
});

const permissionsDeny = defineCommand({
  name: "permissions deny",
  summary: "deny tool calls",
  description: "The rule replaces the same rule with another effect. It overrides all rules that allow or ask.",
  arguments: { rules },
  options: { scope },
  examples: [
    { line: "plugboard permissions deny 'files:write_*'" },
    { line: "plugboard permissions deny '*:delete_*' --scope project" },
  ],
  output: "permissions",
  run: async (input, cli) => (await import("../commands/permissions/rules.ts")).addRules(input, "deny", cli),
});

const permissionsReset = defineCommand({
  name: "permissions reset",
  summary: "remove rules, and revoke what you have allowed for longer than once",
  arguments: { names: rest("a rule, a tool as `server:tool`, or the id of a decision", { label: "rule" }) },
  options: {
    ...hostOptions,
    scope,
    all: flag("remove all rules of the config, and revoke all decisions"),
  },
  examples: [{ line: "plugboard permissions reset 'files:write_*'" }, { line: "plugboard permissions reset --all" }],
  output: "permissions-reset",
  run: async (input, cli) => (await import("../commands/permissions/reset.ts")).resetPermissions(input, cli),
});

export const permissionRuleCommands = [
  permissionsList,
  permissionsAllow,
  permissionsAsk,
  permissionsDeny,
  permissionsReset,
];
