/** The commands that move servers between Plugboard and other clients. */
import { CLIENT_NAMES } from "@plugboard/contracts";
import { choice, configOptions, defineCommand, flag, oneOf, optional, value } from "../command-line/command-spec.ts";

const importServers = defineCommand({
  name: "import",
  summary: "import servers from another client, after showing what would be imported",
  description: `The clients are ${CLIENT_NAMES.join(", ")}. Any file with servers works, too: JSON, TOML or YAML. Without a name, the command shows which clients have files here. Importing starts no server. Servers of a project's file need your approval before they run.`,
  arguments: {
    source: optional("the client or the file to import from", {
      label: "client or file",
      suggests: CLIENT_NAMES,
      completes: "file",
    }),
  },
  options: {
    dryRun: flag("only show what would be imported"),
    yes: flag("import without asking", { conflicts: ["dryRun"] }),
    scope: oneOf(["project", "user", "local"], "import all servers to this scope; by default that of the file", {
      spellings: { global: "user" },
    }),
    only: value("ids", "import only these servers, separated by commas"),
    replace: flag("replace servers that have the same id and another definition"),
  },
  examples: [
    { line: "plugboard import", about: "show the clients that have files here" },
    { line: "plugboard import cursor --dry-run" },
    { line: "plugboard import ~/backup/config.toml --only github,linear" },
  ],
  output: "import",
  run: async (input, cli) => (await import("../commands/clients/import.ts")).importServers(input, cli),
});

const exportServers = defineCommand({
  name: "export",
  summary: "print the servers as a config file of another client",
  arguments: { client: choice(CLIENT_NAMES, "the client whose format is printed") },
  options: {
    ...configOptions,
    only: value("ids", "export only these servers, separated by commas"),
    showSecrets: flag("print secrets that are in plain text in your config"),
  },
  examples: [
    { line: "plugboard export cursor > .cursor/mcp.json" },
    { line: "plugboard export codex >> ~/.codex/config.toml" },
  ],
  output: "export",
  run: async (input, cli) => (await import("../commands/clients/export.ts")).exportServers(input, cli),
});

export const clientCommands = [importServers, exportServers];
