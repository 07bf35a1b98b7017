/** The commands that change the configured servers. */
import { TRANSPORT_SPELLINGS, URL_TRANSPORTS } from "@plugboard/contracts";
import {
  configOptions,
  defineCommand,
  flag,
  list,
  oneOf,
  oneOrMore,
  optional,
  optionName,
  required,
  rest,
  value,
} from "../command-line/command-spec.ts";
import { isUrl } from "../command-line/is-url.ts";
import { keyOptions } from "../command-line/key-options.ts";
import type { CommandSpec } from "../command-line/command-spec.ts";
import { registryOption } from "./registry.ts";

const SCOPES = ["project", "user", "local"] as const;
const GLOBAL = { spellings: { global: "user" }, short: "s" };

const scopeOption = oneOf(SCOPES, "the config to change, by default that of the project", GLOBAL);

const id = required("the server's id", { completes: "server" });

const newId = required("the id of the new server: letters, digits, _ and -");

const replace = flag("overwrite the server if the config has it already");

const addOptions = {
  scope: scopeOption,
  transport: oneOf(["stdio", ...URL_TRANSPORTS], "the transport, by default the one of the command or URL", {
    short: "t",
    spellings: TRANSPORT_SPELLINGS,
  }),
  url: value("url", "the URL, instead of the argument"),
  command: value("command", "the command, instead of the argument"),
  arg: list("text", "an argument of the command, instead of words after it"),
  env: list("NAME=value", "an environment variable of the command", { short: "e" }),
  header: list("Name: value", "a header of every request to the URL", { short: "H" }),
  apiKeyEnv: value("NAME", "the environment variable with the key that the server expects in the header X-API-Key"),
  bearerTokenEnvVar: value("NAME", "the environment variable with the token for the header Authorization"),
  oauthAuthorizationUrl: value("url", "the authorization endpoint, instead of the one that the server announces"),
  oauthTokenUrl: value("url", "the token endpoint, instead of the one that the server announces"),
  oauthRegistrationUrl: value("url", "the registration endpoint, instead of the one that the server announces"),
  oauthClientId: value("id", "the id of a registered OAuth client"),
  oauthClientSecret: value("secret", "the secret of the client; write '${NAME}' to read it from the environment"),
  oauthScope: value("scopes", "the scopes to request, separated by spaces"),
  ...keyOptions(),
  replace,
  fromRegistry: value("name", "add this server of the MCP registry; name@version selects a version", {
    conflicts: ["url", "command"],
  }),
  registry: registryOption,
  input: list("name=value", "a value that the server of the registry needs, such as an argument"),
  yes: flag("add the server of the registry without asking"),
};

const add: CommandSpec = defineCommand({
  name: "add",
  summary: "add a server to the config",
  description:
    "Put plugboard's options before the server's command; everything after it is passed to the command. Values are\n" +
    "written as they are: to keep a secret out of the file, write '${NAME}', which is read from the environment when the server starts.",
  arguments: {
    id: newId,
    target: optional("the command or URL of the server", { label: "command or URL" }),
    args: rest("arguments of the command", { takesOptions: (target) => !isUrl(target) }),
  },
  options: addOptions,
  examples: [
    { line: "plugboard add files npx -y @modelcontextprotocol/server-filesystem ." },
    { line: "plugboard add notion https://mcp.notion.com/mcp --scope user" },
    { line: "plugboard add github -e GITHUB_TOKEN='${GITHUB_TOKEN}' -- npx -y @modelcontextprotocol/server-github" },
    {
      line: "plugboard add weather --from-registry io.github.example/weather",
      about: "asks for what the server needs, and shows what would run before it is saved",
    },
    { line: "plugboard add api https://api.example.com/mcp -H 'Authorization: Bearer ${API_TOKEN}'" },
  ],
  output: "add",
  run: async (input, cli) => {
    const { addServer } = await import("../commands/config/add-server.ts");
    const shorts = Object.values(addOptions).flatMap((option) => ("short" in option ? [`-${option.short}`] : []));
    return addServer(input, cli, [...Object.keys(addOptions).map(optionName), ...shorts, "--json"]);
  },
});

const addJson = defineCommand({
  name: "add-json",
  summary: "add a server from the JSON of its config",
  description: "Accepts the spelling of other clients, and a whole config with one server.",
  arguments: {
    id: newId,
    entry: required("the JSON; @file reads it from a file, - from stdin", { label: "json" }),
  },
  options: { scope: scopeOption, replace },
  examples: [
    {
      line: `plugboard add-json files '{"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]}'`,
    },
    { line: "plugboard add-json files @entry.json --replace" },
  ],
  output: "add",
  run: async (input, cli) => (await import("../commands/config/add-server-json.ts")).addServerJson(input, cli),
});

const get = defineCommand({
  name: "get",
  summary: "show the definition of one server and the file that contains it",
  arguments: { server: id },
  options: {
    ...configOptions,
    scope: oneOf(["effective", ...SCOPES], "the config to read, by default the one that is in effect", GLOBAL),
  },
  examples: [{ line: "plugboard get github" }],
  output: "get",
  run: async (input, cli) => (await import("../commands/config/get-server.ts")).getServer(input, cli),
});

const remove = defineCommand({
  name: "remove",
  aliases: ["rm"],
  summary: "remove servers from the config",
  arguments: { servers: oneOrMore("the ids of the servers", { label: "server", completes: "server" }) },
  options: {
    scope: oneOf(
      SCOPES,
      "the config to change, by default that of the project, or the only one with the server",
      GLOBAL,
    ),
  },
  examples: [{ line: "plugboard remove github" }, { line: "plugboard remove files notion --scope user" }],
  output: "remove",
  run: async (input, cli) => (await import("../commands/config/remove-servers.ts")).removeServers(input, cli),
});

const enable = defineCommand({
  name: "enable",
  summary: "enable a server in the config",
  arguments: { server: id },
  options: { scope: scopeOption },
  examples: [{ line: "plugboard enable github" }],
  output: "enable",
  run: async (input, cli) => (await import("../commands/config/set-enabled.ts")).setEnabled(input, true, cli),
});

const disable = defineCommand({
  name: "disable",
  summary: "disable a server in the config",
  arguments: { server: id },
  options: { scope: scopeOption },
  examples: [
    { line: "plugboard disable github", about: "disables the server in this project, even if it is defined for all" },
  ],
  output: "enable",
  run: async (input, cli) => (await import("../commands/config/set-enabled.ts")).setEnabled(input, false, cli),
});

const edit = defineCommand({
  name: "edit",
  summary: "open a config file in your editor, and check it afterwards",
  description: "Uses the program in VISUAL or EDITOR.",
  arguments: { server: optional("open the file at this server", { completes: "server" }) },
  options: { scope: scopeOption },
  examples: [{ line: "plugboard edit" }, { line: "plugboard edit github --scope user" }],
  output: "config-validate",
  run: async (input, cli) => (await import("../commands/config/edit-config-file.ts")).editConfigFile(input, cli),
});

export const serverConfigCommands = [add, addJson, get, edit, remove, enable, disable];
