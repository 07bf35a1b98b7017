/**
 * Conversations with a model that uses the tools of a workspace. They live in the host, so a terminal and the page can
 * show the same one. `chat-methods.ts` lists the same methods at run time.
 */
import type { Caller } from "../host/caller.ts";
import type { ChatEvent } from "./chat-event.ts";
import type { ChatMessage, ChatUsage } from "./chat-message.ts";
import type { WorkspaceSpec } from "../host/host-api.ts";
import type { Question } from "../workspace/question.ts";

/**
 * A caller watches a chat from `create` or `resume` until `leave`, or until the caller ends. A watcher gets the
 * `chat.event` events, and the questions of the chat in its inbox. If no watcher is left, the host finishes the running
 * turn and closes the chat.
 */
export interface Chats {
  /** Creates a chat and watches it. Starts the eager servers of its workspace without waiting for them. */
  create(spec: ChatSpec): Promise<ChatView>;
  /** Watches a chat. Opens it again if it is closed; only then the options apply. */
  resume(id: string, options?: ResumeOptions): Promise<ChatView>;
  /** Ends the watch of this caller. */
  leave(id: string): Promise<void>;
  /** Lists open and stored chats, the latest first, without temporary chats. */
  list(options?: ListChatsOptions): Promise<ChatInfo[]>;
  /** Sends a message of the user. While a turn runs, the message waits in a queue. */
  send(id: string, input: ChatInput): Promise<SentInput>;
  /** Cancels the running turn, and returns the messages of the queue, which are not sent. */
  cancel(id: string, options?: CancelChatOptions): Promise<SentInput[]>;
  /** Sets the model of the next turns, as `provider/model`. */
  setModel(id: string, model: string): Promise<ChatInfo>;
  /** Replaces older messages with a summary that the model writes. Throws CHAT_BUSY while a turn runs. */
  compact(id: string, options?: CompactChatOptions): Promise<ChatView>;
  /** Removes all messages. Throws CHAT_BUSY while a turn runs. */
  clear(id: string): Promise<ChatView>;
  rename(id: string, title: string): Promise<ChatInfo>;
  /** Closes the chat: cancels its turn, forgets its decisions, and releases its workspace. Its history stays. */
  close(id: string): Promise<void>;
  /** Closes the chat and deletes its history. Returns false if there is no such chat. */
  remove(id: string): Promise<boolean>;
  /** Returns the model that a new chat in this folder uses, and lists the models of model servers on this machine. */
  models(options?: ListModelsOptions): Promise<ModelChoices>;
}

export interface ChatSpec extends WorkspaceSpec {
  /** The profile whose tools the model gets. By default all tools of the workspace. */
  readonly profile?: string;
  /** `provider/model`. By default the model of the config, then that of the environment. */
  readonly model?: string;
  /** False hides the tools for files and commands. */
  readonly nativeTools?: boolean;
  /** Added to the instructions for the model. */
  readonly system?: string;
  readonly limits?: ChatLimits;
  /** Stores nothing. The chat ends with its last watcher, and its running turn is cancelled. */
  readonly temporary?: boolean;
}

/** Limits of one turn. */
export interface ChatLimits {
  /** Requests to the model, by default 50. */
  readonly steps?: number;
  /** Input and output tokens. */
  readonly tokens?: number;
}

/** The parts of a chat that its history does not store, because they may contain secrets. */
export interface ResumeOptions {
  readonly servers?: NonNullable<WorkspaceSpec["servers"]>;
  readonly permissions?: NonNullable<WorkspaceSpec["permissions"]>;
  readonly env?: NonNullable<WorkspaceSpec["env"]>;
  /** Replaces the model of the chat. */
  readonly model?: string;
}

export interface ListChatsOptions {
  /** The folder of the chats. By default all folders. */
  readonly cwd?: string;
  readonly limit?: number;
}

export interface CancelChatOptions {
  /** The id of a sent message. Cancels only the turn of this message, or removes only this message from the queue. */
  readonly input?: string;
}

export interface CompactChatOptions {
  /** What the summary should emphasise. */
  readonly instructions?: string;
}

export interface ListModelsOptions {
  readonly cwd?: string;
}

export interface ModelChoices {
  /** The model that the config or the environment sets. */
  readonly model?: string;
  /** Models of model servers that answer on this machine, as `provider/model`. */
  readonly found: readonly string[];
}

/** A message of the user. The host reads resources and prompts in the workspace of the chat. */
export interface ChatInput {
  readonly text: string;
  /** Resources that are attached to the message. */
  readonly resources?: readonly { readonly server: string; readonly uri: string }[];
  /** A prompt of a server, which precedes the text. */
  readonly prompt?: {
    readonly server: string;
    readonly name: string;
    readonly arguments?: { readonly [name: string]: string };
  };
  /**
   * Texts that Apps give the model, which the user has not written. They are marked as untrusted content of `source`.
   */
  readonly context?: readonly { readonly source: string; readonly text: string }[];
}

/** A message that waits for its turn, or has begun one. The events of the turn have its id. */
export interface SentInput {
  readonly id: string;
  readonly input: ChatInput;
}

export interface ChatInfo {
  readonly id: string;
  /** The beginning of the first message, unless the user has chosen a title. Empty for a new chat. */
  readonly title: string;
  /** The folder of its workspace. */
  readonly cwd: string;
  readonly profile?: string;
  /** `provider/model`. Absent if no model is set yet. */
  readonly model?: string;
  /** `closed`: only its history exists. `running`: a turn runs. */
  readonly state: "closed" | "idle" | "running";
  /**
   * True if the host ended while a turn ran, and no turn has begun since. Calls without a result get a result that says
   * so.
   */
  readonly interrupted?: true;
  /** In milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The number of messages in the history. */
  readonly messages: number;
  /** The tokens and the cost of the whole chat. */
  readonly usage: ChatUsage;
  /** The tokens of the latest request and its answer, and how many the model accepts, if known. */
  readonly context: { readonly tokens: number; readonly limit?: number };
}

/** A chat as a watcher shows it. Events after `seq` continue it. */
export interface ChatView {
  readonly chat: ChatInfo;
  /** The caller of the chat's calls, and the owner of its questions. */
  readonly caller: Caller;
  readonly messages: readonly ChatMessage[];
  /** The events of the running turn since the last message in `messages`, with joined deltas. Empty if no turn runs. */
  readonly turn: readonly ChatEvent[];
  readonly queue: readonly SentInput[];
  readonly questions: readonly Question[];
  /** The sequence number of the latest event that this view includes. */
  readonly seq: number;
}
