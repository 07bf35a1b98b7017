/** The command that finds servers in a registry. `add --from-registry` adds them. */
import { defineCommand, rest, value, wholeNumber } from "../command-line/command-spec.ts";

/** The option that selects a registry. */
export const registryOption = value(
  "URL",
  "the registry to read, by default `PLUGBOARD_REGISTRY_URL` or the official MCP registry",
);

const search = defineCommand({
  name: "search",
  summary: "find servers in the official MCP registry, and show how each would run",
  description:
    "The registry looks for the longest word in the names of servers. The other words may also be in titles and descriptions.",
  arguments: { words: rest("words to find in the name, title or description", { label: "word" }) },
  options: {
    limit: wholeNumber("number", "show at most this many servers, by default 20", { min: 1, max: 100 }),
    registry: registryOption,
  },
  examples: [
    { line: "plugboard search weather" },
    { line: "plugboard search weather --registry https://registry.example.com" },
  ],
  output: "search",
  run: async (input, cli) => (await import("../commands/registry/search-registry.ts")).searchRegistry(input, cli),
});

export const registryCommands = [search];
