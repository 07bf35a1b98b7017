/** Implements `plugboard remove`. */
import { editConfig, filesWithEntry } from "@plugboard/config/edit";
import type { CliContext } from "../../terminal/cli-context.ts";
import { requireEntry } from "./scope.ts";
import type { ConfigScope } from "@plugboard/config";

interface RemoveInput {
  readonly server: string;
  readonly scope: ConfigScope | undefined;
  readonly json: boolean;
}

/** Removes a server from one scope. Definitions in other scopes stay. */
export async function removeServer(input: RemoveInput, cli: CliContext): Promise<number> {
  const { server: id, scope = "project", json } = input;
  const { all } = await requireEntry(id, scope, cli);
  const removed = filesWithEntry(all, id, scope);
  for (const { file } of removed) await editConfig(file, { type: "remove_server", id }, scope);
  const files = removed.map(({ file }) => file);
  const remaining = filesWithEntry(all, id).find(
    ({ file, layer }) => !files.includes(file) && layer?.servers.some((server) => server.id === id),
  );
  const stillDefinedIn = remaining && { source: remaining.source, file: remaining.file };
  if (json) {
    cli.stdout.json({ id, scope, files, ...(stillDefinedIn && { stillDefinedIn }) });
    return 0;
  }
  cli.stdout.write(`Removed ${id} from ${files.join(" and ")} (${scope})\n`);
  if (stillDefinedIn)
    cli.stdout.write(
      `It is still defined in ${stillDefinedIn.file} (${stillDefinedIn.source}), and that definition is used now.\n`,
    );
  return 0;
}
