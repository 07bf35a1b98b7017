/** The commands that show and check config files, and manage profiles. */
import {
  configOptions,
  defineCommand,
  list,
  oneOf,
  optional,
  required,
  value,
  wholeNumber,
} from "../command-line/command-spec.ts";

const configPath = defineCommand({
  name: "config path",
  summary: "show where the config files are, from lowest to highest priority",
  options: {
    config: configOptions.config,
    scope: oneOf(["project", "user", "local"], "print only the path of the file that commands change", {
      spellings: { global: "user" },
    }),
  },
  examples: [{ line: "plugboard config path" }, { line: "plugboard config path --scope user" }],
  output: "config-path",
  run: async (input, cli) => (await import("../commands/config/show-config-paths.ts")).showConfigPaths(input, cli),
});

const configSchema = defineCommand({
  name: "config schema",
  summary: "print the JSON Schema of a config file, for editors",
  examples: [{ line: "plugboard config schema > plugboard.schema.json" }],
  output: "config-schema",
  run: async (_, cli) => (await import("../commands/config/print-config-schema.ts")).printConfigSchema(cli),
});

const configValidate = defineCommand({
  name: "config validate",
  summary: "show all problems of the config files, or of one file",
  arguments: { file: optional("the file to check, by default all files", { completes: "file" }) },
  examples: [{ line: "plugboard config validate" }, { line: "plugboard config validate .mcp.json" }],
  output: "config-validate",
  run: async (input, cli) => (await import("../commands/config/validate-config.ts")).validateConfig(input, cli),
});

const profileName = required("the name of the profile: letters, digits, _ and -", { label: "name" });

const profileList = defineCommand({
  name: "profile list",
  summary: "show the profiles: named selections of tools",
  examples: [{ line: "plugboard profile list" }],
  output: "profile-list",
  run: async (input, cli) => (await import("../commands/config/profile.ts")).listProfiles(input, cli),
});

const profileSet = defineCommand({
  name: "profile set",
  summary: "add or replace a profile in your own config",
  description:
    "HTTP clients use a profile at /mcp/p/<name>, other clients with `plugboard stdio --profile <name>`. Connected clients get the change at once.",
  arguments: { name: profileName },
  options: {
    server: list("id", "a server of the profile, by default all", { completes: "server" }),
    include: list("server:tool", "tools of the profile, with * for any characters, by default all"),
    exclude: list("server:tool", "tools that the profile leaves out"),
    allow: list("rule", "calls that clients of the profile may make without a question"),
    ask: list("rule", "calls that clients of the profile may make only after a question"),
    deny: list("rule", "calls that clients of the profile may not make"),
    naming: oneOf(["{server}__{tool}", "{tool}"], "how tools are named, by default {server}__{tool}"),
    cwd: value("folder", "the folder whose servers HTTP clients see, by default that of `plugboard serve`", {
      completes: "file",
    }),
    maxResultBytes: wholeNumber("number", "cut longer results; clients can read the rest as a resource", { min: 1000 }),
  },
  examples: [
    { line: "plugboard profile set review --server files --server github --include '*:get_*'" },
    { line: "plugboard profile set files --server files --naming '{tool}' --deny 'files:delete_*'" },
    { line: "plugboard profile set small --max-result-bytes 20000", about: "cuts long results" },
  ],
  output: "profile",
  run: async (input, cli) => (await import("../commands/config/profile.ts")).setProfile(input, cli),
});

const profileRemove = defineCommand({
  name: "profile remove",
  summary: "remove a profile from your own config",
  arguments: { name: profileName },
  examples: [{ line: "plugboard profile remove review" }],
  output: "profile",
  run: async (input, cli) => (await import("../commands/config/profile.ts")).removeProfile(input, cli),
});

export const configCommands = [configPath, configSchema, configValidate, profileList, profileSet, profileRemove];
