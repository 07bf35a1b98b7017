/** The commands that manage servers. */
import { configOptions, defineCommand, flag, hostOptions, list as listOption } from "../command-line/command-spec.ts";
import { oneOf, optional, rest } from "../command-line/command-spec.ts";

const list = defineCommand({
  name: "list",
  aliases: ["ls"],
  summary: "show the configured servers, without starting them",
  options: {
    ...hostOptions,
    scope: oneOf(["effective", "project", "user", "local"], "what to list, by default what is in effect", {
      spellings: { global: "user" },
    }),
  },
  examples: [{ line: "plugboard list" }, { line: "plugboard list --scope user" }, { line: "plugboard list --json" }],
  output: "list",
  run: async (input, cli) => {
    const { scope = "effective", json } = input;
    if (scope !== "effective") return (await import("../commands/config/list-scope.ts")).listScope(scope, json, cli);
    return (await import("../commands/servers/show-server-list.ts")).showServerList(input, cli);
  },
});

const status = defineCommand({
  name: "status",
  summary: "show the state of all servers, or the details of one; starts no server without --connect",
  arguments: { server: optional("show the details of this server", { completes: "server" }) },
  description:
    "Shows the state that the running host knows. If no host is running, shows what is configured, and says so.",
  options: {
    ...hostOptions,
    connect: flag("first connect the given server, or all enabled servers"),
    watch: flag("keep showing the state, until you press Ctrl-C"),
    host: flag("show only the running host: its process, address and clients", { conflicts: ["connect", "watch"] }),
  },
  examples: [
    { line: "plugboard status --connect", about: "connects all servers and shows which of them work" },
    { line: "plugboard status github", about: "shows the details of one server" },
    { line: "plugboard status --host", about: "shows the process, address and clients of the running host" },
    { line: "plugboard status --watch", about: "shows the state of the running host, live" },
  ],
  output: "status",
  run: async (input, cli) => (await import("../commands/servers/show-status.ts")).showStatus(input, cli),
});

const test = defineCommand({
  name: "test",
  summary: "check that servers work: connect them and list their tools",
  description:
    "Without a server, tests all enabled servers. If a server fails, says what is wrong and what to do. Does not use or disturb the running host.",
  arguments: { servers: rest("the ids of the servers", { label: "server", completes: "server" }) },
  options: {
    ...configOptions,
    scope: oneOf(["effective", "project", "user", "local"], "test the definition in this file alone", {
      spellings: { global: "user" },
    }),
    require: listOption("server:tool", "also fail if the server does not offer this tool", { completes: "tool" }),
  },
  examples: [
    { line: "plugboard test github" },
    { line: "plugboard test", about: "tests all enabled servers" },
    { line: "plugboard test files --require files:read_text_file", about: "also fails without this tool" },
  ],
  output: "test",
  run: async (input, cli) => (await import("../commands/servers/test-servers.ts")).testServers(input, cli),
});

export const serverCommands = [list, status, test];
