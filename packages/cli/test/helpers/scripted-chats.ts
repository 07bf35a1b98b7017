/**
 * The chats of a host whose model is a script. The workspace, its servers, the permission questions and the events are
 * the real ones.
 */
import { HostError } from "@plugboard/contracts";
import type {
  Caller,
  ChatEvent,
  ChatInput,
  ChatMessage,
  Chats,
  ChatSpec,
  ChatToolStatus,
  ChatView,
  SentInput,
  Workspace,
} from "@plugboard/contracts";
import type { LoadChatService, OpenWorkspace } from "@plugboard/host/internal";
import { chatInfo, usage } from "./chat-fixtures.ts";

/** What the script does in one turn. */
interface ScriptedTurn {
  readonly input: ChatInput;
  readonly signal: AbortSignal;
  say(text: string): void;
  /** Calls a tool as the chat, and returns its text or the reason why it did not run. */
  call(tool: string, args?: object): Promise<string>;
}

export type Script = (turn: ScriptedTurn) => Promise<void>;

interface Conversation {
  readonly id: string;
  readonly caller: Caller;
  readonly opened: OpenWorkspace;
  readonly workspace: Workspace;
  readonly spec: ChatSpec;
  messages: ChatMessage[];
  queue: SentInput[];
  running: AbortController | undefined;
  model: string;
}

/** `inputs` gets the messages in the order in which their turns begin. */
export function scriptedChats(script: Script, inputs: ChatInput[] = []): LoadChatService {
  return async (host) => {
    const chats = new Map<string, Conversation>();
    let ids = 0;

    const find = (id: string) => {
      const chat = chats.get(id);
      if (!chat) throw new HostError("NOT_FOUND", { subject: `chat ${id}` });
      return chat;
    };
    const emit = ({ id }: Conversation, event: ChatEvent) => host.events.emit({ type: "chat.event", chat: id, event });
    const info = ({ id, spec, running, messages, model }: Conversation) =>
      chatInfo({
        id,
        cwd: spec.cwd,
        model,
        state: running ? "running" : "idle",
        messages: messages.length,
        usage: usage(messages.length * 100, messages.length * 10, messages.length * 0.01),
      });
    const view = (chat: Conversation): ChatView => ({
      chat: info(chat),
      caller: chat.caller,
      messages: chat.messages,
      turn: [],
      queue: chat.queue,
      questions: [],
      seq: host.events.seq,
    });
    const add = (chat: Conversation, message: ChatMessage) => {
      chat.messages = [...chat.messages, message];
      emit(chat, { type: "message.added", message });
    };

    async function call(chat: Conversation, signal: AbortSignal, source: string, args: object): Promise<string> {
      const callId = `call-${++ids}`;
      emit(chat, { type: "tool.requested", callId, tool: source, source, args: args as never });
      emit(chat, { type: "tool.started", callId, tool: source, source });
      const startedAt = performance.now();
      const [status, text] = await chat.workspace.tools.call(source, args, { signal }).then(
        ({ content }): [ChatToolStatus, string] => [
          "ok",
          content.map((part) => (typeof part["text"] === "string" ? part["text"] : part.type)).join("\n"),
        ],
        (error: HostError): [ChatToolStatus, string] => [toStatus(error), error.message],
      );
      const result = { type: "tool_result", callId, tool: source, status, text, untrusted: { source } } as const;
      emit(chat, {
        type: "tool.finished",
        callId,
        tool: source,
        status,
        durationMs: performance.now() - startedAt,
        result,
      });
      return text;
    }

    async function runTurns(chat: Conversation, first: SentInput): Promise<void> {
      for (let sent: SentInput | undefined = first; sent; sent = chat.queue.shift()) {
        const { id, input } = sent;
        const running = (chat.running = new AbortController());
        const { signal } = running;
        inputs.push(input);
        emit(chat, { type: "turn.started", input: id, model: chat.model });
        add(chat, { role: "user", content: [{ type: "text", text: input.text }] });
        let text = "";
        const say = (delta: string) => {
          text += delta;
          emit(chat, { type: "text.delta", text: delta });
        };
        await script({ input, signal, say, call: (tool, args = {}) => call(chat, signal, tool, args) });
        if (text !== "") add(chat, { role: "assistant", content: [{ type: "text", text }] });
        chat.running = undefined;
        const reason = signal.aborted ? "cancelled" : "done";
        emit(chat, { type: "turn.finished", input: id, reason, usage: usage(100, 10, 0.01) });
        emit(chat, { type: "info.changed", chat: info(chat) });
      }
    }

    const forCaller = (caller: Caller): Chats => ({
      async create(spec) {
        const id = `chat-${++ids}`;
        const opened = await host.open(spec);
        const chatCaller = { kind: "chat", id } as const;
        const workspace = host.bind(opened, chatCaller);
        const model = spec.model ?? "scripted/model";
        const chat = {
          id,
          caller: chatCaller,
          opened,
          workspace,
          spec,
          messages: [],
          queue: [],
          running: undefined,
          model,
        };
        chats.set(id, chat);
        host.inbox.chatWatchers.add(id, caller);
        return view(chat);
      },
      async resume(id) {
        host.inbox.chatWatchers.add(id, caller);
        return view(find(id));
      },
      leave: async (id) => host.inbox.chatWatchers.remove(id, caller),
      list: async () => [...chats.values()].map(info).toReversed(),
      async send(id, input) {
        const chat = find(id);
        const sent = { id: `input-${++ids}`, input };
        if (chat.running) {
          chat.queue.push(sent);
          emit(chat, { type: "input.queued", queued: sent });
        } else void runTurns(chat, sent);
        return sent;
      },
      async cancel(id) {
        const chat = find(id);
        const queue = chat.queue;
        chat.queue = [];
        if (queue.length > 0) emit(chat, { type: "queue.emptied" });
        chat.running?.abort();
        return queue;
      },
      async setModel(id, model) {
        const chat = find(id);
        chat.model = model;
        emit(chat, { type: "info.changed", chat: info(chat) });
        return info(chat);
      },
      compact: async (id) => view(find(id)),
      async clear(id) {
        const chat = find(id);
        chat.messages = [];
        emit(chat, { type: "cleared" });
        return view(chat);
      },
      rename: async (id) => info(find(id)),
      close: async (id) => void chats.delete(id),
      remove: async (id) => chats.delete(id),
      models: async () => ({ found: ["ollama/found"] }),
    });

    return {
      for: forCaller,
      workspace: (id) => find(id).opened,
      modelOf: () => undefined,
      get openChats() {
        return chats.size;
      },
      async close() {
        for (const { running } of chats.values()) running?.abort();
      },
    };
  };
}

function toStatus({ code }: HostError): ChatToolStatus {
  if (code === "CANCELLED") return "cancelled";
  return code === "TOOL_DENIED" || code === "NOBODY_TO_ASK" ? "denied" : "error";
}
