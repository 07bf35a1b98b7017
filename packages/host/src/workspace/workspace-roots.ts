/**
 * Provides the roots of a workspace: its own folder, or the folders that the
 * program names. By default only a project's servers get them. Other servers
 * have folders in their own arguments, which roots would override.
 */
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { HostError, isJsonObject, parseUrl, Listeners } from "@plugboard/contracts";
import type { HostEventData, JsonObject, Root, ConfigSource } from "@plugboard/contracts";
import { isProjectSource } from "../config/definition/project-limits.ts";

/** Returns the roots. Called when a workspace opens, and again when the program says that they have changed. */
export type RootsPort = (workspace: { readonly folder: string }) => readonly Root[] | Promise<readonly Root[]>;

export interface WorkspaceRootsOptions {
  readonly folder: string;
  /** The id is unique for each workspace, so its roots are never mistaken for those of another. */
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
  #refreshCount = 0;

  /** Starts without roots if the program provides them. `refresh` gets them. */
  constructor(options: WorkspaceRootsOptions) {
    const { folder, port } = options;
    this.#options = options;
    this.#roots = port ? [] : [toRoot(folder)];
  }

  /** Returns undefined if the server gets no roots. `configured` is the definition's setting; the default depends on the source. */
  rootsFor(source: ConfigSource, configured?: boolean): OfferedRoots | undefined {
    const { folder, port } = this.#options;
    // A program that provides roots provides them for its own servers.
    const byDefault = isProjectSource(source) || (source === "invocation" && port !== undefined);
    if (!(configured ?? byDefault)) return undefined;
    // A program can change its roots at any time, so they are identified by their port.
    const key = port ? { port: port.id } : { folder: pathToFileURL(folder).href };
    return { roots: () => this.#roots, key };
  }

  /** Gets the roots from the program. If that fails, the current roots stay. */
  async refresh(): Promise<void> {
    const { folder, port, emit } = this.#options;
    if (!port) return;
    const refreshId = ++this.#refreshCount;
    try {
      const roots = validateRoots(await port.roots({ folder }));
      // A later refresh has newer roots.
      if (refreshId !== this.#refreshCount || sameRoots(roots, this.#roots)) return;
      this.#roots = roots;
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const error = new HostError("PORT_FAILED", { port: "roots", reason }, { cause: thrown });
      return emit({ type: "port.failed", port: "roots", error: error.toJSON() });
    }
    this.#listeners.emit();
  }

  /** Calls the listener when the roots have changed. Returns the function that removes it. */
  onChanged(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }
}

function toRoot(folder: string): Root {
  const name = basename(folder);
  return { uri: pathToFileURL(folder).href, ...(name !== "" && { name }) };
}

/** Throws if a root is invalid. Drops keys that the protocol does not define. */
function validateRoots(given: readonly Root[]): Root[] {
  if (!Array.isArray(given)) throw new Error("the roots must be a list");
  return given.map((root: unknown) => {
    const { uri, name } = isJsonObject(root) ? root : ({} as JsonObject);
    if (typeof uri !== "string" || parseUrl(uri)?.protocol !== "file:") {
      throw new Error(`"uri" of a root must be a file: URL, not ${JSON.stringify(uri)}`);
    }
    return { uri, ...(typeof name === "string" && { name }) };
  });
}

function sameRoots(some: readonly Root[], others: readonly Root[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}
