/** The commands that connect other clients to Plugboard, and move servers between both. */
import { CLIENT_NAMES } from "@plugboard/contracts";
import type { ClientName } from "@plugboard/contracts";
import { choice, configOptions, defineCommand, flag, oneOf, optional } from "../command-line/command-spec.ts";
import { value, wholeNumber } from "../command-line/command-spec.ts";
import type { ArgumentSpec } from "../command-line/command-spec.ts";

const changeOptions = {
  dryRun: flag("only show the change"),
  yes: flag("write the change without asking", { conflicts: ["dryRun"] }),
};

const connect = defineCommand({
  name: "connect",
  summary: "let another client use all your servers through Plugboard, after showing the change of its file",
  description:
    "Writes one entry, plugboard, to the client's own config file. Comments, order and all other settings of the file stay as they are, and the file is backed up first. Without a name, the command shows which clients are installed here and which are connected.",
  arguments: {
    client: optional("the client to connect", { choices: CLIENT_NAMES }) as ArgumentSpec<ClientName | undefined>,
  },
  options: {
    profile: value("name", "offer only the tools of this profile"),
    scope: oneOf(["user", "project"], "connect the client for you everywhere (the default), or for this project", {
      spellings: { global: "user" },
    }),
    http: flag("use the URL of `plugboard serve` and a token of its own instead of a command"),
    port: wholeNumber(
      "number",
      "the port of `plugboard serve`, by default that of the running host, or 7431; only with --http",
      {
        min: 1,
        max: 65_535,
      },
    ),
    ...changeOptions,
  },
  examples: [
    { line: "plugboard connect", about: "show the clients" },
    { line: "plugboard connect codex --dry-run" },
    { line: "plugboard connect cursor --profile work --yes" },
  ],
  output: "connect",
  run: async (input, cli) => (await import("../commands/clients/connect-client.ts")).connectClient(input, cli),
});

const disconnect = defineCommand({
  name: "disconnect",
  summary: "undo `plugboard connect`, after showing the change of the client's file",
  description:
    "Removes Plugboard's entry. If the file has not changed since it was connected, it has the same bytes as before.",
  arguments: { client: choice(CLIENT_NAMES, "the client to disconnect") },
  options: {
    scope: oneOf(["user", "project"], "where the entry is, by default where it is found", {
      spellings: { global: "user" },
    }),
    restore: flag("replace the file with its backup, but only if the file has not changed since"),
    ...changeOptions,
  },
  examples: [{ line: "plugboard disconnect codex" }, { line: "plugboard disconnect cursor --restore --yes" }],
  output: "disconnect",
  run: async (input, cli) => (await import("../commands/clients/disconnect-client.ts")).disconnectClient(input, cli),
});

const importServers = defineCommand({
  name: "import",
  summary: "import servers from other clients, after showing what would be imported",
  description: `The clients are ${CLIENT_NAMES.join(", ")}. Any file with servers works, too: JSON, TOML or YAML. Without a name, the command shows which clients have files here. Importing starts no server. Secrets in variables and headers are stored like those of \`plugboard secret set\`, and the config only refers to them. Servers of a project's file need your approval before they run.`,
  arguments: {
    source: optional("the client or the file to import from", {
      label: "client or file",
      suggests: CLIENT_NAMES,
      completes: "file",
    }),
  },
  options: {
    all: flag("import from all clients at once; of several servers with the same id, the first one"),
    dryRun: flag("only show what would be imported"),
    yes: flag("import without asking", { conflicts: ["dryRun"] }),
    scope: oneOf(["project", "user", "local"], "import all servers to this scope; by default that of the file", {
      spellings: { global: "user" },
    }),
    only: value("ids", "import only these servers, separated by commas"),
    replace: flag("replace servers that have the same id and another definition"),
    plainSecrets: flag("write secrets to the config in plain text, as the file has them, instead of storing them"),
  },
  examples: [
    { line: "plugboard import", about: "show the clients that have files here" },
    { line: "plugboard import cursor --dry-run" },
    { line: "plugboard import --all" },
    { line: "plugboard import ~/backup/config.toml --only github,linear" },
  ],
  output: "import",
  run: async (input, cli) => (await import("../commands/clients/import-servers.ts")).importServers(input, cli),
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
  run: async (input, cli) => (await import("../commands/clients/export-servers.ts")).exportServers(input, cli),
});

export const clientCommands = [connect, disconnect, importServers, exportServers];
