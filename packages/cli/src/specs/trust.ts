/** The spec of `plugboard trust`. */
import { defineCommand, flag, hostOptions, rest } from "../command-line/command-spec.ts";

const trust = defineCommand({
  name: "trust",
  summary: "list the servers of this project that need your approval, or approve them",
  description:
    "Servers that a project's files define run only after you have approved their definitions. Without a server, shows the definitions that wait.",
  arguments: {
    servers: rest("show the definitions of these servers, and ask whether to approve them", {
      label: "server",
      completes: "server",
    }),
  },
  options: {
    ...hostOptions,
    all: flag("all servers that need your approval; with --revoke, all that you have approved here"),
    yes: flag("approve without asking"),
    revoke: flag("withdraw your approval", { conflicts: ["yes"] }),
  },
  examples: [
    { line: "plugboard trust", about: "shows what needs your approval" },
    { line: "plugboard trust github", about: "shows one definition and asks" },
    { line: "plugboard trust --all" },
    { line: "plugboard trust github --revoke" },
  ],
  output: "trust",
  run: async (input, cli) => (await import("../commands/permissions/trust-servers.ts")).trustServers(input, cli),
});

export const trustCommands = [trust];
