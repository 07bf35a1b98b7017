/** The entries of a transcript, and the functions that extend a streamed answer. Pure. */
import type { ChatToolResult, ChatToolStatus, JsonObject, Progress } from "@plugboard/contracts";
import type { Text } from "../../terminal/text.ts";

export type Entry =
  | { readonly type: "user"; readonly text: string; readonly isSummary?: true }
  | AnswerEntry
  | CallEntry
  | { readonly type: "notice"; readonly text: Text };

/** Text or reasoning of the model. `isDone` is false while it grows. */
export interface AnswerEntry {
  readonly type: "answer" | "reasoning";
  readonly text: string;
  readonly isDone: boolean;
}

export interface CallEntry {
  readonly type: "call";
  /** Counts the calls of the chat from 1, so that the user can refer to one. */
  readonly number: number;
  readonly callId: string;
  /** `server:tool`, or the name that the model used if there is no such tool. */
  readonly name: string;
  readonly args: JsonObject;
  readonly status: "requested" | "running" | ChatToolStatus;
  readonly startedAt?: number;
  /** When the user was asked, as long as a question is open. */
  readonly askedAt?: number;
  readonly openQuestions?: number;
  /** The time that the user took to answer. It does not count as time of the call. */
  readonly answeredInMs?: number;
  readonly durationMs?: number;
  readonly progress?: Progress;
  readonly result?: ChatToolResult;
}

export function growAnswer(entries: readonly Entry[], type: AnswerEntry["type"], text: string): readonly Entry[] {
  const last = entries.at(-1);
  if (last?.type === type && !last.isDone) return [...entries.slice(0, -1), { ...last, text: last.text + text }];
  // A text that begins after the reasoning means that the reasoning is complete.
  const before = last?.type === "reasoning" ? closeAnswers(entries) : entries;
  return [...before, { type, text, isDone: false }];
}

/** Marks all growing answers as complete. */
export function closeAnswers(entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry) => ("isDone" in entry && !entry.isDone ? { ...entry, isDone: true } : entry));
}

/** Returns true if the model's answer has grown in the list since the last message. */
export function hasOpenAnswer(entries: readonly Entry[]): boolean {
  const first = entries.findIndex((entry) => "isDone" in entry && !entry.isDone);
  return first !== -1 && entries.slice(first).some(({ type }) => type === "answer");
}
