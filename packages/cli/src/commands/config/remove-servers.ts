/** Implements `plugboard remove`. */
import type { EditableScope, RemovedServer } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withOperations } from "../../workspace/with-operations.ts";

interface RemoveInput {
  readonly servers: readonly string[];
  readonly scope: EditableScope | undefined;
  readonly json: boolean;
}

/** Removes each server from one scope. Definitions in other scopes stay. */
export async function removeServers({ servers, scope, json }: RemoveInput, cli: CliContext): Promise<number> {
  const removed = await withOperations(cli, (operations) => operations.removeServers(servers, scope));
  // One server is printed as an object, several as a list.
  if (json) cli.stdout.json(servers.length === 1 ? removed[0]! : removed);
  else cli.stdout.write(removed.map(renderRemoved).join(""));
  return 0;
}

function renderRemoved({ id, scope, files, stillDefinedIn }: RemovedServer): string {
  const done = `Removed ${id} from ${files.join(" and ")} (${scope})\n`;
  if (!stillDefinedIn) return done;
  const { file, source } = stillDefinedIn;
  return `${done}It is still defined in ${file} (${source}), and that definition is used now.\n`;
}
