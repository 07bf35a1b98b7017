/** What a front end shows of a chat. `apply-chat-event.ts` makes it from the messages and events of the chat. */
import type { JsonObject } from "../../lib/json.ts";
import type { Progress } from "../workspace/workspace.ts";
import type { ChatInfo, SentInput } from "./chat.ts";
import type { ChatToolResult, ChatToolStatus, ChatUsage } from "./chat-message.ts";

export interface ChatTranscript {
  readonly chat: ChatInfo;
  /** Entries are added at the end, and change until they are complete. Only a cleared chat loses its entries. */
  readonly entries: readonly ChatEntry[];
  /** The messages that wait for the end of the turn. */
  readonly queue: readonly SentInput[];
  /** Set while a turn runs. */
  readonly turn: RunningTurn | undefined;
  /**
   * True if the chat was closed by another watcher, or by the host. A front end resumes it before it sends a message.
   */
  readonly isClosed: boolean;
}

interface RunningTurn {
  readonly startedAt: number;
  /** True when the model has got a request. Before that, the turn may wait for servers. */
  readonly hasBegun: boolean;
  readonly usage?: ChatUsage;
}

export type ChatEntry =
  | { readonly type: "user"; readonly text: string }
  | ChatAnswerEntry
  | ChatCallEntry
  /**
   * Stands for the messages that a compaction has removed. `removedMessages` is unknown after the chat is opened again.
   */
  | { readonly type: "summary"; readonly text: string; readonly removedMessages?: number }
  /** A text of Plugboard, such as the reason why a turn has ended. */
  | { readonly type: "notice"; readonly tone: "info" | "warn" | "danger"; readonly text: string };

/** Text or reasoning of the model. */
export interface ChatAnswerEntry {
  readonly type: "answer" | "reasoning";
  readonly text: string;
  /** False until the whole message has arrived. Only the last entry can grow. */
  readonly isDone: boolean;
  /** True if the request to the model failed in the middle of the answer and was sent again. */
  readonly isVoid?: true;
}

export interface ChatCallEntry {
  readonly type: "call";
  /** Counts the calls of the chat from 1, so that the user can refer to one. */
  readonly number: number;
  readonly callId: string;
  /** `server:tool`, or the name that the model used if there is no such tool. */
  readonly name: string;
  readonly args: JsonObject;
  readonly status: "requested" | "running" | ChatToolStatus;
  readonly startedAt?: number;
  /** The ids of the questions about the call that the user has not answered yet. */
  readonly questions: readonly string[];
  /** When the user was asked. Set while there are open questions. */
  readonly askedAt?: number;
  /** The time that the user took to answer. It does not count as time of the call. */
  readonly answeredInMs: number;
  /** Absent for a call of a chat that was opened again. */
  readonly durationMs?: number;
  readonly progress?: Progress;
  readonly result?: ChatToolResult;
}
