/** The tool calls among the entries of a transcript. Pure. */
import type { ChatToolResult, JsonObject, Question } from "@plugboard/contracts";
import { closeAnswers } from "./entry.ts";
import type { CallEntry, Entry } from "./entry.ts";

/** Returns the latest call with a result, or the one with the number. */
export function findCall({ entries }: { readonly entries: readonly Entry[] }, number?: number): CallEntry | undefined {
  return entries.findLast(
    (entry): entry is CallEntry =>
      entry.type === "call" && (number === undefined ? entry.result !== undefined : entry.number === number),
  );
}

/** Adds a call, unless it is in the list already. */
export function addCall(
  entries: readonly Entry[],
  { callId, name, args }: { readonly callId: string; readonly name: string; readonly args: JsonObject },
): readonly Entry[] {
  if (entries.some((entry) => entry.type === "call" && entry.callId === callId)) return entries;
  const number = entries.reduce((count, { type }) => (type === "call" ? count + 1 : count), 1);
  return [...closeAnswers(entries), { type: "call", number, callId, name, args, status: "requested" }];
}

export function updateCall(
  entries: readonly Entry[],
  callId: string,
  update: (call: CallEntry) => CallEntry,
): readonly Entry[] {
  return entries.map((entry) => (entry.type === "call" && entry.callId === callId ? update(entry) : entry));
}

export function renameCalls(entries: readonly Entry[], name: string, newName: string): readonly Entry[] {
  return entries.map((entry) => (entry.type === "call" && entry.name === name ? { ...entry, name: newName } : entry));
}

/** `durationMs`: undefined for a call of an earlier turn. */
export function finishCall(call: CallEntry, result: ChatToolResult, durationMs: number | undefined): CallEntry {
  const { progress: _, askedAt: __, openQuestions: ___, answeredInMs = 0, ...rest } = call;
  const name = result.untrusted?.source ?? call.name;
  const duration = durationMs === undefined ? {} : { durationMs: Math.max(0, durationMs - answeredInMs) };
  return { ...rest, name, status: result.status, result, ...duration };
}

/** Notes that the user is asked about a call, so that the waiting time does not count as time of the call. */
export function markAsked(entries: readonly Entry[], question: Question, now: number): readonly Entry[] {
  return entries.map((entry) => {
    if (!isCallOf(entry, question) || entry.result) return entry;
    const { askedAt = now, openQuestions = 0 } = entry;
    return { ...entry, askedAt, openQuestions: openQuestions + 1 };
  });
}

export function markAnswered(entries: readonly Entry[], question: Question, now: number): readonly Entry[] {
  return entries.map((entry) => {
    if (!isCallOf(entry, question) || entry.askedAt === undefined) return entry;
    const { askedAt, openQuestions = 1, answeredInMs = 0, ...call } = entry;
    if (openQuestions > 1) return { ...entry, openQuestions: openQuestions - 1 };
    return { ...call, answeredInMs: answeredInMs + now - askedAt };
  });
}

export function isCallOf(entry: Entry, { call }: Question): entry is CallEntry {
  return entry.type === "call" && entry.callId === call;
}
