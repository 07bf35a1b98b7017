import type { Caller } from "./caller.ts";
import type { HostEvent } from "./event.ts";
import type { ServerEntry } from "./server-entry.ts";
import type { Workspace } from "./workspace.ts";

/**
 * The one interface of a host, near or far: JSON in, JSON out, all promises.
 * An instance is bound to its caller by whoever hands it out.
 */
export interface HostApi {
  readonly caller: Caller;
  /** Opening a workspace reads its config and starts nothing. */
  workspace(spec: WorkspaceSpec): Promise<Workspace>;
  /** Every fact after the given sequence number that the host still remembers, then the live ones. */
  events(after?: number, signal?: AbortSignal): AsyncIterable<HostEvent>;
  close(): Promise<void>;
}

export interface WorkspaceSpec {
  /** The folder it belongs to. */
  readonly cwd: string;
  /** The invocation's servers, on top of those in the files. */
  readonly servers?: { readonly [id: string]: ServerEntry };
  /** The invocation's permission rules, beside those in the files. */
  readonly permissions?: {
    readonly allow?: readonly string[];
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
  };
  /** The environment that its definitions are expanded with; unless given, the host's own. */
  readonly env?: { readonly [name: string]: string };
  /** Config files given with the invocation, low to high. */
  readonly configFiles?: readonly string[];
  /** Tools that are not offered: patterns like `files:write_*`; one without a colon is of a whole server. */
  readonly exclude?: readonly string[];
  /** The form of the names that models see; unless given, what the files say. */
  readonly naming?: string;
}
