/** The commands that decide what may run. */
import { defineCommand, flag, hostOptions, optional } from "../command-line/command-spec.ts";

const trust = defineCommand({
  name: "trust",
  summary: "list the servers of this project that need your approval, or approve one",
  arguments: {
    server: optional("show the definition of this server, and ask whether to approve it", { completes: "server" }),
  },
  options: {
    ...hostOptions,
    yes: flag("approve the server without asking"),
    revoke: flag("withdraw your approval of the server"),
  },
  examples: [{ line: "plugboard trust" }, { line: "plugboard trust github" }],
  output: "trust",
  run: async (input, cli) => (await import("../commands/permissions/trust.ts")).trustServer(input, cli),
});

export const permissionCommands = [trust];
