/** A chat as the page shows it, from its view and its events. Pure. */
import type { ChatEvent, ChatInfo, ChatMessage, ChatView, SentInput } from "@plugboard/contracts";

export interface ChatState {
  readonly chat: ChatInfo;
  readonly messages: readonly ChatMessage[];
  readonly queue: readonly SentInput[];
  /** Why the request to the model is sent again. */
  readonly retry?: string;
  /** The text of the answer that is being written. */
  readonly text: string;
  readonly reasoning: string;
  /** The calls of the running step. */
  readonly calls: readonly RunningCall[];
  readonly running: boolean;
  /** Why the last turn ended, unless it was done. */
  readonly end?: string;
  readonly closed: boolean;
  /** The events up to this one are included. */
  readonly seq: number;
}

interface RunningCall {
  readonly callId: string;
  readonly tool: string;
  readonly status: "requested" | "running" | "finished";
}

export function fromView({ chat, messages, queue, turn, seq }: ChatView): ChatState {
  const initial: ChatState = {
    chat,
    messages,
    queue,
    text: "",
    reasoning: "",
    calls: [],
    running: chat.state === "running",
    closed: false,
    seq,
  };
  return turn.reduce(applyChatEvent, initial);
}

export function applyChatEvent(state: ChatState, event: ChatEvent): ChatState {
  switch (event.type) {
    case "turn.started": {
      const { end: _, ...rest } = state;
      return { ...rest, running: true, queue: state.queue.filter(({ id }) => id !== event.input) };
    }
    case "step.started": {
      const { retry: _, ...rest } = state;
      return { ...rest, text: "", reasoning: "" };
    }
    case "step.retried":
      return { ...state, text: "", reasoning: "", retry: event.reason };
    case "text.delta":
      return { ...state, text: state.text + event.text };
    case "reasoning.delta":
      return { ...state, reasoning: state.reasoning + event.text };
    case "message.added":
      return {
        ...state,
        messages: [...state.messages, event.message],
        text: "",
        reasoning: "",
        ...(event.message.role === "tool" && { calls: [] }),
      };
    case "tool.requested":
      return {
        ...state,
        calls: [...state.calls, { callId: event.callId, tool: event.source ?? event.tool, status: "requested" }],
      };
    case "tool.started":
      return { ...state, calls: withStatus(state.calls, event.callId, "running") };
    case "tool.finished":
      return { ...state, calls: withStatus(state.calls, event.callId, "finished") };
    case "compacted":
      return { ...state, messages: event.messages };
    case "turn.finished": {
      const { retry: _, ...rest } = state;
      return {
        ...rest,
        running: false,
        // A turn that could not begin leaves its message in the queue.
        queue: state.queue.filter(({ id }) => id !== event.input),
        text: "",
        reasoning: "",
        calls: [],
        // A cancelled answer says so itself.
        ...(event.reason !== "done" &&
          !hasCancelledAnswer(state) && { end: event.error?.message ?? END_TEXTS[event.reason] ?? event.reason }),
      };
    }
    case "input.queued":
      return { ...state, queue: [...state.queue, event.queued] };
    case "inputs.removed":
      return { ...state, queue: state.queue.filter(({ id }) => !event.inputs.includes(id)) };
    case "cleared":
      return { ...state, messages: [] };
    case "info.changed":
      return { ...state, chat: event.chat };
    case "closed":
      return { ...state, closed: true, running: false };
    case "tool.progressed":
    case "usage":
      return state;
  }
}

function hasCancelledAnswer({ messages }: ChatState): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.cancelled === true;
}

const END_TEXTS: { readonly [reason: string]: string } = {
  cancelled: "Cancelled.",
  step_limit: "The turn reached its limit of steps.",
  token_limit: "The turn reached its limit of tokens.",
  output_limit: "The answer was cut at its maximum length.",
  refused: "The provider's content filter stopped the answer.",
};

function withStatus(
  calls: readonly RunningCall[],
  callId: string,
  status: RunningCall["status"],
): readonly RunningCall[] {
  return calls.map((call) => (call.callId === callId ? { ...call, status } : call));
}
