/** The commands that store the secrets of server definitions. */
import { defineCommand, hostOptions, required } from "../command-line/command-spec.ts";

const name = required('the name in `{ "$secret": "name" }`');

const secretSet = defineCommand({
  name: "secret set",
  summary: "store a secret that server definitions refer to by its name",
  description: "Asks for the value on a terminal, without showing it. In a pipe, reads it from stdin.",
  arguments: { name },
  options: hostOptions,
  refusesArgument:
    "the value is not accepted as an argument, because it would stay in the history of your shell; type it when asked, or pipe it to the command",
  examples: [
    { line: "plugboard secret set github", about: "asks for the value" },
    { line: "gh auth token | plugboard secret set github", about: "reads it from another program" },
  ],
  output: "secret-set",
  run: async (input, cli) => (await import("../commands/secrets/set-secret.ts")).setSecret(input, cli),
});

const secretList = defineCommand({
  name: "secret list",
  summary: "list the names of secrets, the servers that refer to them, and which are missing",
  options: hostOptions,
  examples: [{ line: "plugboard secret list" }],
  output: "secret-list",
  run: async (input, cli) => (await import("../commands/secrets/list-secrets.ts")).listSecrets(input, cli),
});

const secretRemove = defineCommand({
  name: "secret remove",
  aliases: ["secret rm"],
  summary: "delete a secret",
  arguments: { name },
  options: hostOptions,
  examples: [{ line: "plugboard secret remove github" }],
  output: "secret-remove",
  run: async (input, cli) => (await import("../commands/secrets/remove-secret.ts")).removeSecret(input, cli),
});

export const secretCommands = [secretSet, secretList, secretRemove];
