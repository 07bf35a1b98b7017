/**
 * Writes a planned definition to the config of its scope. A definition that the user adds to a project is trusted at
 * once, because the user has just given it. Other users of the project still have to trust it.
 */
import type { ConfigProblem, Json, SavedServer, ServerDraft, ServerEntry } from "@plugboard/contracts";
import { describePlainSecret, findPlainSecrets } from "@plugboard/config/clients";
import { describeConfigured } from "@plugboard/config";
import type { ConfiguredServer } from "@plugboard/config";
import { configureEntry, editConfig, filesWithEntry } from "@plugboard/config/edit";
import type { OperationsPlace } from "../operations-context.ts";
import { findDefinitionFile } from "./find-definition-file.ts";
import { spawnProblems } from "./spawn-problems.ts";
import { storeTrust } from "./store-trust.ts";

export interface DefinitionToSave {
  readonly draft: ServerDraft;
  readonly entry: ServerEntry;
  /** The server's entry in the file at the time of planning. Undefined if there was none. */
  readonly before: Json | undefined;
  /** Stores the secrets that the entry refers to. Called only if the entry can be written. */
  readonly storeSecrets: () => Promise<void>;
}

/** Throws DEFINITION_CHANGED if the entry in the file has changed since the planning. */
export async function saveServer(
  { draft: { id, scope, replace = false }, entry, before, storeSecrets }: DefinitionToSave,
  place: OperationsPlace,
): Promise<SavedServer> {
  const { file, folder, all } = await findDefinitionFile(id, scope, place);
  const { server, problems } = await configureEntry(id, entry, file, { source: scope, folder });
  // The user has confirmed the shown change, so nothing else may be overwritten.
  const change = { type: "set_server", id, entry, mustBeNew: !replace, expected: { before } } as const;
  const edit = await editConfig(file, change, scope, { beforeWrite: storeSecrets });
  const priority = all.findIndex((inspected) => inspected.file === file);
  return {
    action: !edit.changed ? "unchanged" : edit.before === undefined ? "added" : "replaced",
    scope,
    definition: describeConfigured(server),
    ...(scope !== "user" && { trust: await storeTrust(server, place.env) }),
    hiddenBy: filesWithEntry(all.slice(priority + 1), id).map((inspected) => inspected.file),
    overrides: filesWithEntry(all.slice(0, priority), id).map((inspected) => inspected.file),
    problems: [
      ...problems,
      ...(await spawnProblems(server, place.env)),
      ...(scope === "project" ? plainSecretProblems(server) : []),
    ],
  };
}

/** Warns about secrets in a file that others may read. */
function plainSecretProblems({ id, file, definition }: ConfiguredServer): ConfigProblem[] {
  const secrets = "invalid" in definition ? [] : findPlainSecrets(definition, id);
  return secrets.map((secret) => ({ severity: "warning", file, server: id, message: describePlainSecret(secret) }));
}
