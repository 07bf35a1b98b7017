/** The interface of a host, the options of a workspace, and the type of environments. */
/// <reference lib="esnext.disposable" preserve="true" />
import type { Caller } from "./caller.ts";
import type { Chats } from "../chat/chat.ts";
import type { HostEvent } from "./event.ts";
import type { ServerEntry } from "../workspace/entry-keys.ts";
import type { Workspace } from "../workspace/workspace.ts";

/**
 * The interface of a host in this process or another. All values are JSON. Each instance belongs to one caller.
 * `await using` calls `close` at the end of the block.
 */
export interface HostApi extends AsyncDisposable {
  readonly caller: Caller;
  /** Opens a workspace: reads its config and starts no server. */
  workspace(spec: WorkspaceSpec): Promise<Workspace>;
  /** Yields the stored events after the given sequence number, then new events as they occur. */
  events(after?: number, signal?: AbortSignal): AsyncIterable<HostEvent>;
  /** Conversations with a model. A host that a program embeds has none. */
  readonly chats: Chats;
  /** Returns the workspace of a chat that this caller watches. `release` does nothing, because the chat owns it. */
  chatWorkspace(chat: string): Promise<Workspace>;
  close(): Promise<void>;
}

/** What a new caller of a host can do. */
export interface CallerOptions {
  /** True if a user answers the questions of this caller. */
  readonly attended?: boolean;
  /**
   * True if a user watches the inbox through this caller, and answers the questions to the workspace and those of
   * gateway clients that can't be asked. A gateway client or a conversation can't watch.
   */
  readonly watchesInbox?: boolean;
}

export interface WorkspaceSpec {
  /** The folder of the workspace. */
  readonly cwd: string;
  /** Servers of this invocation, in addition to those in config files. */
  readonly servers?: { readonly [id: string]: ServerEntry };
  /** Permission rules of this invocation, in addition to those in config files. */
  readonly permissions?: {
    readonly allow?: readonly string[];
    readonly ask?: readonly string[];
    readonly deny?: readonly string[];
  };
  /** The environment for `${NAME}` in server definitions. By default the environment of the host. */
  readonly env?: { readonly [name: string]: string };
  /** Additional config files, from lowest to highest precedence. */
  readonly configFiles?: readonly string[];
  /** Patterns of tools to hide, such as `files:write_*`. A pattern without a colon hides a whole server. */
  readonly exclude?: readonly string[];
  /** The template for tool names, such as `{server}.{tool}`. By default the template of the config files. */
  readonly naming?: string;
  /**
   * Whether the workspace has the tools that read and change its files and run commands. By default true for a
   * conversation and false for others. The owner's token alone, and gateway clients, can't have them.
   */
  readonly nativeTools?: boolean;
  /**
   * Applies if the config files can't be read. If true, a running host opens the workspace with the config that it
   * still uses for this folder, and its problems contain the error. By default true for the page and false for others.
   */
  readonly lastValid?: boolean;
}

/** Environment variables by name, such as `process.env`. */
export type Env = { readonly [name: string]: string | undefined };
