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

/** Asked when the workspace is opened, and again when the program says that they have changed. */
export type RootsPort = (workspace: { readonly folder: string }) => readonly Root[] | Promise<readonly Root[]>;

export interface WorkspaceRootsOptions {
  readonly folder: string;
  /** With a name that tells its roots from those of every other workspace. */
  readonly port?: { readonly id: string; readonly roots: RootsPort } | undefined;
  readonly emit: (event: HostEventData) => void;
}

/** What a server is lent, and what makes that another thing than what its like is lent elsewhere. */
export interface OfferedRoots {
  readonly roots: () => readonly Root[];
  /** Belongs to what makes two definitions the same server. */
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

  /** Until the program has said which they are, there are none. */
  constructor(options: WorkspaceRootsOptions) {
    const { folder, port } = options;
    this.#options = options;
    this.#roots = port ? [] : [toRoot(folder)];
  }

  /** `wanted` is the definition's setting. Without it, the config layer decides. */
  rootsFor(source: ConfigSource, configured?: boolean): OfferedRoots | undefined {
    const { folder, port } = this.#options;
    // A program with a roots port means its own servers.
    const byDefault = isProjectSource(source) || (source === "invocation" && port !== undefined);
    if (!(configured ?? byDefault)) return undefined;
    // What a program says may change at any time, so whoever asks another is another.
    const key = port ? { port: port.id } : { folder: pathToFileURL(folder).href };
    return { roots: () => this.#roots, key };
  }

  /** Asks the program. If it fails to say, what was last said stays. */
  async refresh(): Promise<void> {
    const { folder, port, emit } = this.#options;
    if (!port) return;
    const refreshId = ++this.#refreshCount;
    try {
      const roots = validateRoots(await port.roots({ folder }));
      // Somebody has asked again meanwhile, and is told something newer.
      if (refreshId !== this.#refreshCount || sameRoots(roots, this.#roots)) return;
      this.#roots = roots;
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const error = new HostError("PORT_FAILED", { port: "roots", reason }, { cause: thrown });
      return emit({ type: "port.failed", port: "roots", error: error.toJSON() });
    }
    this.#listeners.emit();
  }

  /** Tells when the roots are others than before. */
  onChanged(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }
}

function toRoot(folder: string): Root {
  const name = basename(folder);
  return { uri: pathToFileURL(folder).href, ...(name !== "" && { name }) };
}

/** Only what the protocol has a place for. */
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
