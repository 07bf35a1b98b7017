import type { ConfigSource, EditableScope } from "@plugboard/contracts";

const SCOPES: readonly ConfigSource[] = ["user", "project", "local"] satisfies readonly EditableScope[];

/** Returns whether the page can edit and remove a definition of this source. */
export function isEditableSource(source: ConfigSource): source is EditableScope {
  return SCOPES.includes(source);
}
