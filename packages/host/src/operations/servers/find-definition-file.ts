/** Finds the file that the definition of a server is written to. */
import { requireScopeFiles } from "@plugboard/config";
import type { ConfigScope } from "@plugboard/config";
import { filesWithEntry, inspectConfig } from "@plugboard/config/edit";
import type { InspectedFile } from "@plugboard/config/edit";
import type { OperationsPlace } from "../operations-context.ts";
import { throwIfInvalid } from "./find-entries.ts";

export interface DefinitionFile {
  readonly file: string;
  /** The folder of the scope. Relative paths of the entry start there. */
  readonly folder: string;
  /** The same file, if it already has an entry for the server. */
  readonly existing: InspectedFile | undefined;
  /** All files, from lowest to highest priority. */
  readonly all: readonly InspectedFile[];
}

/** Throws the error of an invalid file of the scope. */
export async function findDefinitionFile(
  id: string,
  scope: ConfigScope,
  place: OperationsPlace,
): Promise<DefinitionFile> {
  const { files, folder } = await requireScopeFiles(scope, place.cwd, place.env);
  const all = await inspectConfig(place);
  throwIfInvalid(all.filter(({ source }) => source === scope));
  const [existing] = filesWithEntry(all, id, scope);
  return { file: existing?.file ?? files.at(-1)!, folder, existing, all };
}
