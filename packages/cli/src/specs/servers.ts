/** The commands that manage servers. */
import { defineCommand, flag, hostOptions, optional } from "../command-line/command-spec.ts";

const list = defineCommand({
  name: "list",
  aliases: ["ls"],
  summary: "show the configured servers, without starting them",
  options: hostOptions,
  examples: [{ line: "plugboard list" }, { line: "plugboard list --json" }],
  output: "list",
  run: async (input, cli) => (await import("../commands/servers/list.ts")).showServerList(input, cli),
});

const status = defineCommand({
  name: "status",
  summary: "show the state of all servers, or the details of one; starts no server without --connect",
  arguments: { server: optional("show the details of this server", { completes: "server" }) },
  options: { ...hostOptions, connect: flag("first connect the given server, or all enabled servers") },
  examples: [{ line: "plugboard status --connect" }, { line: "plugboard status github" }],
  output: "status",
  run: async (input, cli) => (await import("../commands/servers/status.ts")).showStatus(input, cli),
});

export const serverCommands = [list, status];
