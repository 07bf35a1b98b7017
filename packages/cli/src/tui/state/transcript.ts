/** What a chat shows: the entries made from its messages and events. Pure. */
import type {
  ChatEvent,
  ChatInfo,
  ChatInput,
  ChatMessage,
  ChatToolResult,
  ChatToolStatus,
  ChatUsage,
  ChatView,
  JsonObject,
  Progress,
  SentInput,
} from "@plugboard/contracts";
import type { Text } from "../../terminal/text.ts";

export type Entry =
  | { readonly type: "user"; readonly text: string; readonly isSummary?: true }
  | AnswerEntry
  | CallEntry
  | { readonly type: "notice"; readonly text: Text };

/** Text or reasoning of the model. `isDone` is false while it grows. */
interface AnswerEntry {
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
  readonly durationMs?: number;
  readonly progress?: Progress;
  readonly result?: ChatToolResult;
}

export interface Transcript {
  readonly chat: ChatInfo;
  readonly entries: readonly Entry[];
  /** The messages that wait for the end of the turn. */
  readonly queue: readonly SentInput[];
  /** Set while a turn runs. */
  readonly turn: RunningTurn | undefined;
  /** The messages that this terminal has sent, by id. They are shown as typed, without attached content. */
  readonly sent: { readonly [id: string]: ChatInput };
  /** True if the chat was closed elsewhere, such as on the page. */
  readonly isClosed: boolean;
  /** The tools as `server:tool`, by the name that the model sees. */
  readonly toolNames: ToolNames;
}

interface RunningTurn {
  readonly input?: string;
  readonly startedAt: number;
  /** The model has got a request. Before that, the turn may wait for servers. */
  readonly hasBegun: boolean;
  readonly usage?: ChatUsage;
}

export type ToolNames = { readonly [name: string]: string };

export function openTranscript(
  { chat, messages, turn, queue }: ChatView,
  now: number,
  toolNames: ToolNames = {},
): Transcript {
  const empty: Transcript = {
    chat,
    entries: [],
    queue,
    turn: chat.state === "running" ? { startedAt: now, hasBegun: true } : undefined,
    sent: {},
    isClosed: false,
    toolNames,
  };
  const stored = messages.reduce((transcript, message) => addMessage(transcript, message), empty);
  return turn.reduce((transcript, event) => applyChatEvent(transcript, event, now), stored);
}

export function addNotice(transcript: Transcript, text: Text): Transcript {
  return addEntry(transcript, { type: "notice", text });
}

/** Remembers a message that the host has accepted. */
export function noteSent(transcript: Transcript, { id, input }: SentInput): Transcript {
  return { ...transcript, sent: { ...transcript.sent, [id]: input } };
}

export function applyChatEvent(transcript: Transcript, event: ChatEvent, now: number): Transcript {
  switch (event.type) {
    case "turn.started":
      return {
        ...transcript,
        turn: { input: event.input, startedAt: now, hasBegun: false },
        queue: transcript.queue.filter(({ id }) => id !== event.input),
        // The message of the queue is known from here, too.
        sent: Object.assign({}, ...transcript.queue.map(({ id, input }) => ({ [id]: input })), transcript.sent),
      };
    case "text.delta":
      return grow(transcript, "answer", event.text);
    case "reasoning.delta":
      return grow(transcript, "reasoning", event.text);
    case "step.retried":
      // The part of the answer that is on the screen for good stays there.
      return addNotice(closeAnswers(transcript), `The model did not answer (${event.reason}). Trying again…`);
    case "message.added":
      return addMessage(transcript, event.message);
    case "tool.requested":
      return addCall(nameTool(transcript, event), event.callId, event.tool, event.args);
    case "tool.started":
      return updateCall(transcript, event.callId, (call) => ({ ...call, status: "running", startedAt: now }));
    case "tool.progressed":
      return updateCall(transcript, event.callId, (call) => ({ ...call, progress: event.progress }));
    case "tool.finished":
      return updateCall(transcript, event.callId, (call) => finishCall(call, event.result, event.durationMs));
    case "usage":
      return transcript.turn ? { ...transcript, turn: { ...transcript.turn, usage: event.turn } } : transcript;
    case "compacted":
      return addNotice(transcript, `${event.removedMessages} older messages were replaced by a summary.`);
    case "turn.finished":
      return endTurn(transcript, event);
    case "input.queued":
      return { ...transcript, queue: [...transcript.queue, event.queued] };
    case "queue.emptied":
      return { ...transcript, queue: [] };
    case "cleared":
      return addNotice({ ...transcript, entries: [] }, "The chat has no messages any more.");
    case "info.changed":
      return { ...transcript, chat: event.chat };
    case "closed":
      return addNotice(
        { ...transcript, turn: undefined, isClosed: true },
        "The chat was closed. Send a message to open it again.",
      );
    case "step.started":
      return transcript.turn ? { ...transcript, turn: { ...transcript.turn, hasBegun: true } } : transcript;
  }
}

/** Returns the latest call with a result, or the one with the number. */
export function findCall({ entries }: Transcript, number?: number): CallEntry | undefined {
  return entries.findLast(
    (entry): entry is CallEntry =>
      entry.type === "call" && (number === undefined ? entry.result !== undefined : entry.number === number),
  );
}

function addEntry(transcript: Transcript, entry: Entry): Transcript {
  return { ...transcript, entries: [...transcript.entries, entry] };
}

function addMessage(transcript: Transcript, message: ChatMessage): Transcript {
  switch (message.role) {
    case "user":
      return addUserMessage(transcript, message);
    case "assistant":
      return addAnswer(transcript, message.content);
    case "tool":
      return message.content.reduce(
        (result, part) =>
          updateCall(result, part.callId, (call) => (call.result ? call : finishCall(call, part, undefined))),
        transcript,
      );
  }
}

function addUserMessage(transcript: Transcript, message: ChatMessage & { readonly role: "user" }): Transcript {
  if (message.summary) return addEntry(transcript, { type: "user", text: textOf(message.content), isSummary: true });
  const input = transcript.sent[transcript.turn?.input ?? ""];
  return addEntry(transcript, { type: "user", text: input ? inputText(input) : storedText(message.content) });
}

/** Content of servers that was attached to a message is not shown again, only where it comes from. */
function storedText(content: readonly { readonly type: string; readonly text?: string }[]): string {
  const parts = content.map(({ type, text }) => ({ type, text: text?.replace(/:?\s*<untrusted source=[^]*$/, "") }));
  return textOf(parts.filter(({ text }) => text !== ""));
}

/** The message as the user typed it. */
export function inputText({ text, prompt, resources = [] }: ChatInput): string {
  const command = prompt ? `/${prompt.server}:${prompt.name}` : "";
  const missing = resources.map(({ server, uri }) => `@${server}:${uri}`).filter((mention) => !text.includes(mention));
  return [command, text, ...missing].filter((part) => part !== "").join(" ");
}

function textOf(content: readonly { readonly type: string; readonly text?: string | undefined }[]): string {
  return content.map(({ type, text }) => text ?? `[${type}]`).join("\n");
}

/** Completes the text that the deltas have shown, and adds what they have not shown. */
function addAnswer(transcript: Transcript, content: readonly AnswerPart[]): Transcript {
  const shown = transcript.entries.slice(firstOpen(transcript.entries));
  const hasShown = (type: AnswerEntry["type"]) => shown.some((entry) => entry.type === type);
  const missing = content.flatMap((part): Entry[] => {
    if (part.type === "text" && !hasShown("answer") && part.text.trim() !== "")
      return [{ type: "answer", text: part.text, isDone: true }];
    return [];
  });
  const closed = closeAnswers({ ...transcript, entries: [...transcript.entries, ...missing] });
  return content.reduce(
    (result, part) => (part.type === "tool_call" ? addCall(result, part.callId, part.tool, part.args) : result),
    closed,
  );
}

type AnswerPart = (ChatMessage & { readonly role: "assistant" })["content"][number];

/** Returns the index of the first entry that is still growing. */
function firstOpen(entries: readonly Entry[]): number {
  const index = entries.findIndex((entry) => "isDone" in entry && !entry.isDone);
  return index === -1 ? entries.length : index;
}

function grow(transcript: Transcript, type: AnswerEntry["type"], text: string): Transcript {
  const last = transcript.entries.at(-1);
  if (last?.type === type && !last.isDone) {
    const grown = { ...last, text: last.text + text };
    return { ...transcript, entries: [...transcript.entries.slice(0, -1), grown] };
  }
  // A text that begins after the reasoning means that the reasoning is complete.
  const before = last?.type === "reasoning" ? closeAnswers(transcript) : transcript;
  return addEntry(before, { type, text, isDone: false });
}

/** An open answer stays in the list, so that `addAnswer` knows that it was shown. */
function closeAnswers(transcript: Transcript): Transcript {
  const entries = transcript.entries.map((entry) =>
    "isDone" in entry && !entry.isDone ? { ...entry, isDone: true } : entry,
  );
  return { ...transcript, entries };
}

/** Also names the calls of the tool that are shown already. */
function nameTool(transcript: Transcript, { tool, source }: { readonly tool: string; readonly source?: string }) {
  if (source === undefined || transcript.toolNames[tool] === source) return transcript;
  const entries = transcript.entries.map((entry) =>
    entry.type === "call" && entry.name === tool ? { ...entry, name: source } : entry,
  );
  return { ...transcript, entries, toolNames: { ...transcript.toolNames, [tool]: source } };
}

function addCall(transcript: Transcript, callId: string, tool: string, args: JsonObject): Transcript {
  const { entries, toolNames } = transcript;
  const name = toolNames[tool] ?? tool;
  if (entries.some((entry) => entry.type === "call" && entry.callId === callId)) return transcript;
  const number = entries.reduce((count, { type }) => (type === "call" ? count + 1 : count), 1);
  return addEntry(closeAnswers(transcript), { type: "call", number, callId, name, args, status: "requested" });
}

function updateCall(transcript: Transcript, callId: string, update: (call: CallEntry) => CallEntry): Transcript {
  const entries = transcript.entries.map((entry) =>
    entry.type === "call" && entry.callId === callId ? update(entry) : entry,
  );
  return { ...transcript, entries };
}

function finishCall(call: CallEntry, result: ChatToolResult, durationMs: number | undefined): CallEntry {
  const { progress: _, ...rest } = call;
  const name = result.untrusted?.source ?? call.name;
  return { ...rest, name, status: result.status, result, ...(durationMs !== undefined && { durationMs }) };
}

const ENDINGS: { readonly [reason: string]: string } = {
  cancelled: "Cancelled.",
  step_limit: "The turn ended at its limit of steps. Send a message to continue.",
  token_limit: "The turn ended at its limit of tokens. Send a message to continue.",
  output_limit: "The model's answer was cut at its maximum length.",
  refused: "The provider's content filter stopped the answer.",
};

function endTurn(
  transcript: Transcript,
  { reason, error }: ChatEvent & { readonly type: "turn.finished" },
): Transcript {
  const ended = { ...closeAnswers(transcript), turn: undefined };
  const ending = reason === "failed" ? (error?.message ?? "The turn failed.") : ENDINGS[reason];
  return ending === undefined
    ? ended
    : addNotice(ended, { style: reason === "failed" ? "red" : "yellow", text: ending });
}
