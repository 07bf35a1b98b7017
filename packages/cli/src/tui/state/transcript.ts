/** What a chat shows: the entries made from its messages and events. Pure. */
import type {
  ChatEvent,
  ChatInfo,
  ChatInput,
  ChatMessage,
  ChatTurnEnd,
  ChatUsage,
  ChatView,
  SentInput,
} from "@plugboard/contracts";
import type { Text } from "../../terminal/text.ts";
import { addCall, finishCall, renameCalls, updateCall } from "./call-entries.ts";
import { closeAnswers, growAnswer, hasOpenAnswer } from "./entry.ts";
import type { CallEntry, Entry } from "./entry.ts";
import { contentText, inputText, storedText } from "./message-text.ts";

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
      return { ...transcript, entries: growAnswer(transcript.entries, "answer", event.text) };
    case "reasoning.delta":
      return { ...transcript, entries: growAnswer(transcript.entries, "reasoning", event.text) };
    case "step.retried":
      // The part of the answer that is on the screen for good stays there.
      return addNotice(withClosedAnswers(transcript), `The model did not answer (${event.reason}). Trying again…`);
    case "message.added":
      return addMessage(transcript, event.message);
    case "tool.requested":
      return request(transcript, event);
    case "tool.started":
      return update(transcript, event.callId, (call) => ({ ...call, status: "running", startedAt: now }));
    case "tool.progressed":
      return update(transcript, event.callId, (call) => ({ ...call, progress: event.progress }));
    case "tool.finished":
      return update(transcript, event.callId, (call) => finishCall(call, event.result, event.durationMs));
    case "usage":
      return transcript.turn ? { ...transcript, turn: { ...transcript.turn, usage: event.turn } } : transcript;
    case "compacted":
      return addNotice(transcript, `${event.removedMessages} older messages were replaced by a summary.`);
    case "turn.finished":
      return endTurn(transcript, event);
    case "input.queued":
      return { ...transcript, queue: [...transcript.queue, event.queued] };
    case "inputs.removed":
      return { ...transcript, queue: transcript.queue.filter(({ id }) => !event.inputs.includes(id)) };
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

function withClosedAnswers(transcript: Transcript): Transcript {
  return { ...transcript, entries: closeAnswers(transcript.entries) };
}

function addEntry(transcript: Transcript, entry: Entry): Transcript {
  return { ...transcript, entries: [...transcript.entries, entry] };
}

function addMessage(transcript: Transcript, message: ChatMessage): Transcript {
  switch (message.role) {
    case "user":
      return addUserMessage(transcript, message);
    case "assistant": {
      const added = addAnswer(transcript, message.content);
      // A running turn adds this notice when it ends.
      return message.cancelled && !transcript.turn ? addNotice(added, "The answer was cancelled.") : added;
    }
    case "tool":
      return message.content.reduce(
        (result, part) =>
          update(result, part.callId, (call) => (call.result ? call : finishCall(call, part, undefined))),
        transcript,
      );
  }
}

function addUserMessage(transcript: Transcript, message: ChatMessage & { readonly role: "user" }): Transcript {
  if (message.summary)
    return addEntry(transcript, { type: "user", text: contentText(message.content), isSummary: true });
  const input = transcript.sent[transcript.turn?.input ?? ""];
  return addEntry(transcript, { type: "user", text: input ? inputText(input) : storedText(message.content) });
}

/** Completes the text that the deltas have shown, and adds what they have not shown. */
function addAnswer(transcript: Transcript, content: readonly AnswerPart[]): Transcript {
  const isShown = hasOpenAnswer(transcript.entries);
  const missing = content.flatMap((part): Entry[] =>
    part.type === "text" && !isShown && part.text.trim() !== ""
      ? [{ type: "answer", text: part.text, isDone: true }]
      : [],
  );
  const closed = { ...transcript, entries: closeAnswers([...transcript.entries, ...missing]) };
  return content.reduce((result, part) => (part.type === "tool_call" ? request(result, part) : result), closed);
}

type AnswerPart = (ChatMessage & { readonly role: "assistant" })["content"][number];

type RequestedCall = Pick<ChatEvent & { readonly type: "tool.requested" }, "callId" | "tool" | "source" | "args">;

/** A `source` also names the calls of the tool that are shown already. */
function request(transcript: Transcript, { callId, tool, source, args }: RequestedCall): Transcript {
  const { entries, toolNames } = transcript;
  const names = source === undefined ? toolNames : { ...toolNames, [tool]: source };
  const name = names[tool] ?? tool;
  return {
    ...transcript,
    entries: addCall(renameCalls(entries, tool, name), { callId, name, args }),
    toolNames: names,
  };
}

function update(transcript: Transcript, callId: string, change: (call: CallEntry) => CallEntry): Transcript {
  return { ...transcript, entries: updateCall(transcript.entries, callId, change) };
}

const ENDINGS: { readonly [Reason in Exclude<ChatTurnEnd, "failed" | "done">]: string } = {
  cancelled: "Cancelled.",
  step_limit: "The turn ended at its limit of steps. Send a message to continue.",
  token_limit: "The turn ended at its limit of tokens. Send a message to continue.",
  output_limit: "The model's answer was cut at its maximum length.",
  refused: "The provider's content filter stopped the answer.",
};

function endTurn(
  transcript: Transcript,
  { input, reason, error }: ChatEvent & { readonly type: "turn.finished" },
): Transcript {
  // A turn that could not begin leaves its message in the queue.
  const queue = transcript.queue.filter(({ id }) => id !== input);
  const ended = { ...withClosedAnswers(transcript), queue, turn: undefined };
  if (reason === "done") return ended;
  if (reason === "failed") return addNotice(ended, { style: "red", text: error?.message ?? "The turn failed." });
  return addNotice(ended, { style: "yellow", text: ENDINGS[reason] });
}
