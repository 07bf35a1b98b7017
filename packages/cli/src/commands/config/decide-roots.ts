/**
 * Decides whether a new server of a project gets the project's folder as a root. Some servers use roots instead of the
 * folders in their arguments, so a server with such a folder gets no roots, unless `--roots` says otherwise.
 */
import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { EditableScope, ServerEntry } from "@plugboard/contracts";
import type { CliContext } from "../../terminal/cli-context.ts";

export interface RootsOptions {
  readonly scope: EditableScope;
  /** The folder in which the servers of the scope run. */
  readonly folder: string;
  /** The value of `--roots`. */
  readonly roots: "true" | "false" | undefined;
}

/** Returns the entry with the key `roots`, or without it if the default applies. */
export function decideRoots(
  entry: ServerEntry,
  { scope, folder, roots }: RootsOptions,
): { readonly entry: ServerEntry; readonly folderArgument?: string } {
  if (roots !== undefined) return { entry: { ...entry, roots: roots === "true" } };
  // By default only a project's servers get roots.
  const folderArgument = scope === "user" ? undefined : findFolderArgument(entry, folder);
  return folderArgument === undefined ? { entry } : { entry: { ...entry, roots: false }, folderArgument };
}

export function reportFolderArgument(folderArgument: string | undefined, id: string, { stderr }: CliContext): void {
  if (folderArgument === undefined) return;
  stderr.write(
    `note: ${id} gets no roots, so that it works in ${folderArgument}. With --roots true it gets the project's folder, ` +
      "which some servers then use instead.\n",
  );
}

/** Returns the first argument that is an existing folder other than the project's. */
function findFolderArgument({ args = [], cwd = "." }: ServerEntry, folder: string): string | undefined {
  const words = args.flatMap((arg) => (typeof arg === "string" ? [arg, arg.replace(/^--?[\w-]+=/, "")] : []));
  return words.find((word) => {
    const path = resolve(folder, cwd, word);
    const isFolder = word !== "" && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
    return isFolder && realpathSync(path) !== folder;
  });
}
