/** Implements `plugboard search`. */
import { usageError } from "../../command-line/usage-error.ts";
import { renderFoundServers, renderSearchNotes } from "../../render/servers/render-found-servers.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { showPhases } from "../../workspace/show-phases.ts";
import { withOperations } from "../../workspace/with-operations.ts";

interface SearchInput {
  readonly words: readonly string[];
  readonly limit: number | undefined;
  readonly registry: string | undefined;
  readonly json: boolean;
}

/** Shows servers and how each would run. Starts and saves nothing. */
export async function searchRegistry({ words, limit, json, registry }: SearchInput, cli: CliContext): Promise<number> {
  if (words.length === 0) throw usageError("missing argument: a word to search for", { command: "search" });
  const { stdout, stderr } = cli;
  const options = { ...(limit !== undefined && { limit }), ...(registry !== undefined && { registry }) };
  const phases = showPhases(cli.liveLine, "reading the registry");
  const found = await withOperations(cli, (operations) => operations.searchRegistry(words, options)).finally(() =>
    phases.stop(),
  );
  if (json) {
    stdout.json(found);
    return 0;
  }
  stdout.write(renderFoundServers(found.servers, stdout.columns));
  stderr.write(renderSearchNotes(found, words));
  return 0;
}
