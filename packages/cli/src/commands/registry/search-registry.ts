/** Implements `plugboard search`. */
import type { RegistryServer } from "@plugboard/config/registry";
import { usageError } from "../../command-line/usage-error.ts";
import { renderFoundServers, renderSearchNotes } from "../../render/servers/render-found-servers.ts";
import type { FoundServer } from "../../render/servers/render-found-servers.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { readRegistry } from "./read-registry.ts";

interface SearchInput {
  readonly words: readonly string[];
  readonly limit: number | undefined;
  readonly registry: string | undefined;
  readonly json: boolean;
}

/** Shows servers and how each would run. Starts and saves nothing. */
export async function searchRegistry({ words, limit, json, ...input }: SearchInput, cli: CliContext): Promise<number> {
  if (words.length === 0) throw usageError("missing argument: a word to search for", { command: "search" });
  const { stdout, stderr } = cli;
  const found = await readRegistry(input.registry, cli, async (client) => ({
    registry: client.url,
    ...(await client.search(words, { ...(limit !== undefined && { limit }) })),
  }));
  const { servers, ...result } = found;
  const described = await Promise.all(servers.map(describeServer));
  if (json) {
    stdout.json({ ...result, servers: described });
    return 0;
  }
  stdout.write(renderFoundServers(described, stdout.columns));
  stderr.write(renderSearchNotes(found, words));
  return 0;
}

async function describeServer({ packages, remotes, ...server }: RegistryServer): Promise<FoundServer> {
  const { suggestServerId, toChoices, isSupported, fillChoice } = await import("@plugboard/config/registry");
  const id = suggestServerId(server.name);
  const choices = toChoices({ packages, remotes }).map((choice) =>
    isSupported(choice) ? { label: choice.label, inputs: choice.inputs, ...fillChoice(choice, id) } : choice,
  );
  return { ...server, id, choices };
}
