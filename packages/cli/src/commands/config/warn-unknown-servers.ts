/** Warns about ids of unknown servers, which may be typos, and suggests the most similar id. */
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

export async function warnUnknownServers(ids: readonly string[], cli: CliContext): Promise<void> {
  if (ids.length === 0) return;
  for (const { id, suggestion } of await withOperations(cli, (operations) => operations.unknownServers(ids))) {
    const hint = suggestion === undefined ? "" : `; did you mean "${suggestion}"?`;
    cli.stderr.write(`warning: there is no server "${id}" here${hint}\n`);
  }
}
