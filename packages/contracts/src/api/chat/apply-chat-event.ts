/** Makes the transcript of a chat, which the terminal and the page show, from its view and its events. Pure. */
import { ERROR_TABLE } from "../../errors/error-table.ts";
import type { Question } from "../workspace/question.ts";
import type { ChatView } from "./chat.ts";
import type { ChatEvent } from "./chat-event.ts";
import type { ChatAssistantMessage, ChatMessage, ChatToolResult, ChatUserMessage } from "./chat-message.ts";
import type { ChatAnswerEntry, ChatCallEntry, ChatEntry, ChatTranscript } from "./chat-transcript.ts";

/** Questions are matched to calls by the id of the call, so questions of other callers change nothing. */
type QuestionEvent = { readonly type: "question.asked" | "question.settled"; readonly question: Question };

/** A transcript that is changed in place, so that a long chat is not copied for each of its messages. */
interface Draft extends Omit<{ -readonly [Key in keyof ChatTranscript]: ChatTranscript[Key] }, "entries"> {
  entries: ChatEntry[];
}

export function openTranscript({ chat, messages, turn, queue, questions }: ChatView, now: number): ChatTranscript {
  const draft: Draft = { chat, entries: [], queue, turn: undefined, isClosed: false };
  for (const message of messages) addMessage(draft, message);
  if (chat.interrupted) addNotice(draft, "warn", INTERRUPTED);
  if (chat.state === "running") draft.turn = { startedAt: now, hasBegun: true };
  for (const event of turn) apply(draft, event, now);
  for (const question of questions) apply(draft, { type: "question.asked", question }, now);
  return draft;
}

/** Entries that the event does not concern stay the same objects. */
export function applyChatEvent(
  transcript: ChatTranscript,
  event: ChatEvent | QuestionEvent,
  now: number,
): ChatTranscript {
  const draft: Draft = { ...transcript, entries: [...transcript.entries] };
  apply(draft, event, now);
  return draft;
}

const INTERRUPTED =
  "The host ended while a turn ran. Send a message to go on; calls that were cut off are marked as cancelled.";
const CANCELLED = "Cancelled. The answer is not complete.";

function apply(draft: Draft, event: ChatEvent | QuestionEvent, now: number): void {
  switch (event.type) {
    case "turn.started":
      draft.turn = { startedAt: now, hasBegun: false };
      draft.isClosed = false;
      return removeQueued(draft, [event.input]);
    case "step.started":
      if (draft.turn) draft.turn = { ...draft.turn, hasBegun: true };
      return;
    case "text.delta":
      return growAnswer(draft, "answer", event.text);
    case "reasoning.delta":
      return growAnswer(draft, "reasoning", event.text);
    case "step.retried":
      closeAnswers(draft, { isVoid: true });
      return addNotice(draft, "info", `The model did not answer (${event.reason}). Trying again…`);
    case "message.added":
      return addMessage(draft, event.message);
    case "tool.requested":
      // The message of the assistant has already added the call.
      return;
    case "tool.started":
      return changeCall(draft, event.callId, (call) => ({ ...call, status: "running", startedAt: now }));
    case "tool.progressed":
      return changeCall(draft, event.callId, (call) => ({ ...call, progress: event.progress }));
    case "tool.finished":
      return changeCall(draft, event.callId, (call) => ({
        ...finishCall(call, event.result),
        durationMs: Math.max(0, event.durationMs - call.answeredInMs),
      }));
    case "question.asked":
      return changeCall(draft, event.question.call, (call) => askAbout(call, event.question.id, now));
    case "question.settled":
      return changeCall(draft, event.question.call, (call) => settle(call, event.question.id, now));
    case "usage":
      if (draft.turn) draft.turn = { ...draft.turn, usage: event.turn };
      return;
    case "compacted":
      // The removed messages stay in the transcript: only the model no longer gets them.
      for (const message of event.messages)
        if (message.role === "user" && message.summary) addSummary(draft, message, event.removedMessages);
      return;
    case "turn.finished":
      return endTurn(draft, event);
    case "input.queued":
      draft.queue = [...draft.queue, event.queued];
      return;
    case "inputs.removed":
      return removeQueued(draft, event.inputs);
    case "cleared":
      draft.entries = [];
      return addNotice(draft, "info", "The chat has no messages any more.");
    case "info.changed":
      draft.chat = event.chat;
      return;
    case "closed":
      draft.turn = undefined;
      draft.isClosed = true;
      return addNotice(draft, "info", "The chat was closed. Send a message to open it again.");
  }
}

function addNotice({ entries }: Draft, tone: (ChatEntry & { readonly type: "notice" })["tone"], text: string): void {
  entries.push({ type: "notice", tone, text });
}

function addMessage(draft: Draft, message: ChatMessage): void {
  switch (message.role) {
    case "user":
      if (message.summary) addSummary(draft, message);
      else draft.entries.push({ type: "user", text: message.shownText ?? contentText(message) });
      return;
    case "assistant":
      addAnswer(draft, message);
      // While a turn runs, its end adds this notice.
      if (message.cancelled && !draft.turn) addNotice(draft, "warn", CANCELLED);
      return;
    case "tool":
      for (const result of message.content)
        changeCall(draft, result.callId, (call) => (call.result ? call : finishCall(call, result)));
  }
}

function addSummary({ entries }: Draft, message: ChatUserMessage, removedMessages?: number): void {
  const text = contentText(message);
  entries.push({ type: "summary", text, ...(removedMessages !== undefined && { removedMessages }) });
}

function contentText({ content }: ChatUserMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}

function growAnswer({ entries }: Draft, type: ChatAnswerEntry["type"], text: string): void {
  const last = entries.at(-1);
  if (last?.type === type && !last.isDone) entries[entries.length - 1] = { ...last, text: last.text + text };
  else entries.push({ type, text, isDone: false });
}

/** Marks the entries of the answer that was growing as complete. Returns their types. */
function closeAnswers({ entries }: Draft, change: { readonly isVoid?: true } = {}): readonly string[] {
  const types: string[] = [];
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index]!;
    if (!("isDone" in entry) || entry.isDone) break;
    entries[index] = { ...entry, isDone: true, ...change };
    types.push(entry.type);
  }
  return types;
}

/** Completes the text that the deltas have shown, and adds what they have not shown. */
function addAnswer(draft: Draft, { content }: ChatAssistantMessage): void {
  const shown = closeAnswers(draft);
  const { entries } = draft;
  for (const part of content) {
    if (part.type === "tool_call") {
      const { callId, tool, source: name = tool, args } = part;
      const number = (entries.findLast((entry) => entry.type === "call")?.number ?? 0) + 1;
      entries.push({ type: "call", number, callId, name, args, status: "requested", questions: [], answeredInMs: 0 });
    } else {
      const type = part.type === "text" ? "answer" : "reasoning";
      if (!shown.includes(type) && part.text.trim() !== "") entries.push({ type, text: part.text, isDone: true });
    }
  }
}

function changeCall({ entries }: Draft, callId: string | undefined, change: (call: ChatCallEntry) => ChatCallEntry) {
  const index = entries.findLastIndex((entry) => entry.type === "call" && entry.callId === callId);
  if (index !== -1) entries[index] = change(entries[index] as ChatCallEntry);
}

function finishCall(call: ChatCallEntry, result: ChatToolResult): ChatCallEntry {
  const { progress: _, askedAt: __, ...rest } = call;
  return { ...rest, name: result.untrusted?.source ?? call.name, status: result.status, result, questions: [] };
}

function askAbout(call: ChatCallEntry, question: string, now: number): ChatCallEntry {
  const { questions, askedAt = now, result } = call;
  return result || questions.includes(question) ? call : { ...call, askedAt, questions: [...questions, question] };
}

function settle(call: ChatCallEntry, question: string, now: number): ChatCallEntry {
  if (!call.questions.includes(question)) return call;
  const questions = call.questions.filter((id) => id !== question);
  if (questions.length > 0) return { ...call, questions };
  const { askedAt = now, ...rest } = call;
  return { ...rest, questions, answeredInMs: call.answeredInMs + now - askedAt };
}

function endTurn(draft: Draft, { input, reason, error }: ChatEvent & { readonly type: "turn.finished" }): void {
  closeAnswers(draft);
  draft.turn = undefined;
  // The message of a turn that could not begin is still in the queue.
  removeQueued(draft, [input]);
  if (reason === "done") return;
  if (reason === "failed") return addNotice(draft, "danger", error?.message ?? "The turn failed.");
  if (reason === "cancelled") return addNotice(draft, "warn", CANCELLED);
  const text = ERROR_TABLE.TURN_INCOMPLETE.say({ reason });
  addNotice(draft, "warn", reason === "refused" ? text : `${text} Send a message to continue.`);
}

function removeQueued(draft: Draft, inputs: readonly string[]): void {
  draft.queue = draft.queue.filter(({ id }) => !inputs.includes(id));
}
