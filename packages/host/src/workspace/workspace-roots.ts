/**
 * Provides the roots of a workspace: its own folder, or the folders that the program names. By default, only the
 * servers of a project get roots. Other servers often have folders in their arguments, which roots would override.
 */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { HostError, isJsonObject, parseUrl, Listeners } from "@plugboard/contracts";
import type { HostEventData, JsonObject, Root, ConfigSource } from "@plugboard/contracts";
import { isProjectSource, narrowRoots } from "@plugboard/config";

/** Returns the roots. Called when a workspace opens, and again when the program says that they have changed. */
export type RootsPort = (workspace: { readonly folder: string }) => readonly Root[] | Promise<readonly Root[]>;

export interface WorkspaceRootsOptions {
  readonly folder: string;
  /** Gets the roots from the program. The id is unique, so that workspaces with different roots share no connection. */
  readonly port?: { readonly id: string; readonly roots: RootsPort } | undefined;
  readonly emit: (event: HostEventData) => void;
}

/** The roots that a server gets. */
export interface OfferedRoots {
  readonly roots: () => readonly Root[];
  /** Identifies the roots. Definitions with different keys do not share a connection. */
  readonly key: JsonObject;
}

/** Converts the absolute folders of a definition to roots. */
export function configuredRoots(folders: readonly string[]): OfferedRoots {
  const roots = folders.map(toRoot);
  return { roots: () => roots, key: { folders: roots.map(({ uri }) => uri) } };
}

export class WorkspaceRoots {
  readonly #options: WorkspaceRootsOptions;
  readonly #listeners = new Listeners();
  #roots: readonly Root[];
  #narrowed = new WeakMap<readonly Root[], Promise<readonly Root[] | undefined>>();
  #refreshCount = 0;

  /** If the program provides the roots, there are none until the first `refresh`. */
  constructor(options: WorkspaceRootsOptions) {
    const { folder, port } = options;
    this.#options = options;
    this.#roots = port ? [] : [toRoot(folder)];
  }

  /** Returns undefined if the server gets no roots. Without a `setting` in its definition, the source decides. */
  rootsFor(source: ConfigSource, setting?: boolean): OfferedRoots | undefined {
    const { folder, port } = this.#options;
    // If the program provides roots, they are also for its own servers.
    const byDefault = isProjectSource(source) || (source === "invocation" && port !== undefined);
    if (!(setting ?? byDefault)) return undefined;
    // A program can change its roots at any time, so the key must not contain the roots themselves.
    const key = port ? { port: port.id } : { folder: pathToFileURL(folder).href };
    return { roots: () => this.#roots, key };
  }

  /**
   * Returns the roots of a client that are inside a root of the workspace. Reads the file system once for each list.
   */
  narrow(roots: readonly Root[]): Promise<readonly Root[] | undefined> {
    const known = this.#narrowed.get(roots);
    if (known) return known;
    const narrowed = narrowRoots(roots, this.#roots);
    this.#narrowed.set(roots, narrowed);
    return narrowed;
  }

  /** Gets the roots from the program. If that fails, the current roots stay. */
  async refresh(): Promise<void> {
    const { folder, port, emit } = this.#options;
    if (!port) return;
    const refreshId = ++this.#refreshCount;
    try {
      const roots = validateRoots(await port.roots({ folder }));
      const isOutdated = refreshId !== this.#refreshCount;
      if (isOutdated || sameRoots(roots, this.#roots)) return;
      this.#roots = roots;
      this.#narrowed = new WeakMap();
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const error = new HostError("PORT_FAILED", { port: "roots", reason }, { cause: thrown });
      return emit({ type: "port.failed", port: "roots", error: error.toJSON() });
    }
    this.#listeners.emit();
  }

  /** Calls the listener when the roots have changed. Returns the function that removes the listener. */
  onChanged(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }
}

function toRoot(folder: string): Root {
  const name = basename(folder);
  return { uri: pathToFileURL(folder).href, ...(name !== "" && { name }) };
}

/** Throws if a root is invalid. Drops keys that the protocol does not define. */
function validateRoots(roots: readonly Root[]): Root[] {
  if (!Array.isArray(roots)) throw new Error("the roots must be a list");
  return roots.map((root: unknown) => {
    const { uri, name } = isJsonObject(root) ? root : ({} as JsonObject);
    if (typeof uri !== "string" || parseUrl(uri)?.protocol !== "file:") {
      throw new Error(`"uri" of a root must be a file: URL, not ${JSON.stringify(uri)}`);
    }
    return { uri, ...(typeof name === "string" && { name }) };
  });
}

function sameRoots(a: readonly Root[], b: readonly Root[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
