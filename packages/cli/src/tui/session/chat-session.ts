/**
 * The chats that this terminal watches, on one connection to the host. Applies their events to transcripts and collects
 * their questions. Knows nothing of keys and screens.
 */
import { applyChatEvent, HostError, isUntrusted, openTranscript, sameCaller } from "@plugboard/contracts";
import type {
  Caller,
  ChatInfo,
  ChatInput,
  ChatSpec,
  ChatTranscript,
  ChatView,
  HostApi,
  HostEvent,
  Question,
  ResumeOptions,
  ServerStatus,
  Workspace,
} from "@plugboard/contracts";
import { NOTHING_PRINTED } from "../state/print-progress.ts";
import type { PrintProgress } from "../state/print-progress.ts";

export interface OpenChat {
  readonly id: string;
  readonly caller: Caller;
  readonly workspace: Workspace;
  transcript: ChatTranscript;
  /** How much of the transcript is on the screen for good. */
  printed: PrintProgress;
  /** The sequence number of the view that the transcript started from. Earlier events are dropped. */
  viewSeq: number;
}

/** A question of a chat. `settled` aborts when nobody needs to answer it any more. */
export interface OpenQuestion {
  readonly question: Question;
  readonly chat: OpenChat;
  readonly settled: AbortSignal;
}

export type ServerNeed = "login" | "approval";

export interface SessionListener {
  /** Something that the screen shows has changed. */
  onChange(): void;
  onQuestion(question: OpenQuestion): void;
  /** The servers, their tools or the config have changed. */
  onServersChange(): void;
  /** The server can't be used until the user logs in, or approves its definition. */
  onServerNeeds(server: string, need: ServerNeed): void;
  /** The connection to the host has ended. */
  onEnd(error: HostError): void;
}

export interface ChatSessionOptions {
  readonly api: HostApi;
  readonly spec: ChatSpec;
  readonly now: () => number;
  readonly listener: SessionListener;
}

export class ChatSession {
  readonly api: HostApi;
  readonly spec: ChatSpec;
  readonly #now: () => number;
  readonly #listener: SessionListener;
  readonly #chats = new Map<string, OpenChat>();
  readonly #questions = new Map<string, AbortController>();
  readonly #stopped = new AbortController();
  #current: OpenChat | undefined;
  /** Undefined until they are known. */
  servers: readonly ServerStatus[] | undefined;
  /** The chats as they were listed last, so that the numbers on the screen stay valid. */
  listed: readonly ChatInfo[] | undefined;

  constructor({ api, spec, now, listener }: ChatSessionOptions) {
    this.api = api;
    this.spec = spec;
    this.#now = now;
    this.#listener = listener;
  }

  /** The chat on the screen. */
  get current(): OpenChat | undefined {
    return this.#current;
  }

  get chats(): readonly OpenChat[] {
    return [...this.#chats.values()];
  }

  /** Applies the events of the host after this sequence number. Call it before the first chat is opened. */
  follow(afterSeq: number): void {
    void this.#readEvents(afterSeq).then(
      () => this.#end(new HostError("HOST_UNREACHABLE", { reason: "it has ended" })),
      (thrown: unknown) =>
        this.#end(thrown instanceof HostError ? thrown : new HostError("HOST_UNREACHABLE", { reason: String(thrown) })),
    );
  }

  async create(): Promise<OpenChat> {
    return this.#open(await this.api.chats.create(this.spec));
  }

  /** Shows a chat that this terminal watches already, or begins to watch it. */
  async resume(id: string): Promise<OpenChat> {
    const known = this.#chats.get(id);
    if (known) {
      known.printed = NOTHING_PRINTED;
      this.#current = known;
      return known;
    }
    return this.#open(await this.api.chats.resume(id, resumeOptions(this.spec)));
  }

  /** Sends a message. Opens the chat again if it was closed elsewhere. */
  async send(input: ChatInput, chat: OpenChat): Promise<void> {
    if (chat.transcript.isClosed) {
      const view = await this.api.chats.resume(chat.id, resumeOptions(this.spec));
      this.#update(chat, { ...chat.transcript, chat: view.chat, isClosed: false });
    }
    await this.api.chats.send(chat.id, input);
  }

  /** Cancels the turn. Returns the queued messages, which are not sent any more. */
  async cancel(): Promise<readonly ChatInput[]> {
    const chat = this.#requireCurrent();
    return (await this.api.chats.cancel(chat.id)).map(({ input }) => input);
  }

  async refreshServers({ workspace }: OpenChat): Promise<readonly ServerStatus[]> {
    const servers = await workspace.status();
    const before = new Map(this.servers?.map((server) => [server.id, needOf(server)]));
    this.servers = servers;
    for (const server of servers) {
      const need = needOf(server);
      if (need !== undefined && before.get(server.id) !== need) this.#listener.onServerNeeds(server.id, need);
    }
    this.#listener.onChange();
    return servers;
  }

  /** Stops following. The host closes the chats that nobody else watches. */
  async close(): Promise<void> {
    this.#stopped.abort();
    for (const settled of this.#questions.values()) settled.abort();
    await this.api.close();
  }

  async #open(view: ChatView): Promise<OpenChat> {
    const { id } = view.chat;
    const workspace = await this.api.chatWorkspace(id);
    const transcript = openTranscript(view, this.#now());
    const chat: OpenChat = {
      id,
      caller: view.caller,
      workspace,
      transcript,
      printed: NOTHING_PRINTED,
      viewSeq: view.seq,
    };
    this.#chats.set(id, chat);
    this.#current = chat;
    const missed = this.#early.filter((event) => event.seq > view.seq);
    this.#early = [];
    for (const question of view.questions) this.#ask(chat, question);
    for (const event of missed) this.#handle(event);
    this.#listener.onServersChange();
    this.#listener.onChange();
    return chat;
  }

  /** Events of a chat that came before the response to the request that opened it. */
  #early: HostEvent[] = [];

  async #readEvents(afterSeq: number): Promise<void> {
    for await (const event of this.api.events(afterSeq, this.#stopped.signal)) {
      if (event.type === "events.missed") await this.#reload();
      else this.#handle(event);
    }
  }

  /** Shows the chats again, because this terminal was too slow for some of their events. */
  async #reload(): Promise<void> {
    for (const chat of this.chats) {
      const view = await this.api.chats.resume(chat.id, resumeOptions(this.spec));
      chat.viewSeq = view.seq;
      chat.printed = NOTHING_PRINTED;
      const shown = openTranscript(view, this.#now());
      const text = "The terminal was too slow for some changes, so the chat is shown again.";
      this.#update(chat, { ...shown, entries: [{ type: "notice", tone: "info", text }, ...shown.entries] });
      for (const question of view.questions) this.#ask(chat, question);
    }
    this.#listener.onServersChange();
  }

  #handle(event: HostEvent): void {
    switch (event.type) {
      case "chat.event": {
        const chat = this.#chats.get(event.chat);
        if (!chat) return this.#keepEarly(event);
        if (event.seq <= chat.viewSeq) return;
        if (event.event.type === "cleared") chat.printed = NOTHING_PRINTED;
        return this.#update(chat, applyChatEvent(chat.transcript, event.event, this.#now()));
      }
      case "question.asked": {
        const chat = this.#chatOf(event.question);
        if (!chat) return this.#keepEarly(event);
        this.#update(chat, applyChatEvent(chat.transcript, event, this.#now()));
        return this.#ask(chat, event.question);
      }
      case "question.settled": {
        this.#questions.get(event.question.id)?.abort();
        this.#questions.delete(event.question.id);
        const chat = this.#chatOf(event.question);
        return chat && this.#update(chat, applyChatEvent(chat.transcript, event, this.#now()));
      }
      case "server.changed":
      case "catalog.changed":
      case "config.changed":
      case "login.changed":
        return this.#listener.onServersChange();
      default:
        return;
    }
  }

  /** A question of a slash command, such as a login, belongs to the chat on the screen. */
  #chatOf({ owner }: Question): OpenChat | undefined {
    if (owner === "workspace") return undefined;
    if (sameCaller(owner, this.api.caller)) return this.#current;
    return this.chats.find(({ caller }) => sameCaller(owner, caller));
  }

  #keepEarly(event: HostEvent): void {
    this.#early = [...this.#early.slice(1 - MAX_EARLY), event];
  }

  #ask(chat: OpenChat, question: Question): void {
    if (this.#questions.has(question.id)) return;
    const settled = new AbortController();
    this.#questions.set(question.id, settled);
    this.#listener.onQuestion({ question, chat, settled: settled.signal });
  }

  #update(chat: OpenChat, transcript: ChatTranscript): void {
    chat.transcript = transcript;
    this.#listener.onChange();
  }

  #end(error: HostError): void {
    if (!this.#stopped.signal.aborted) this.#listener.onEnd(error);
  }

  #requireCurrent(): OpenChat {
    if (!this.#current) throw new Error("no chat is open yet");
    return this.#current;
  }
}

const MAX_EARLY = 1000;

function needOf(server: ServerStatus): ServerNeed | undefined {
  if (server.state === "auth_required") return "login";
  return isUntrusted(server) ? "approval" : undefined;
}

function resumeOptions({ servers, permissions, env, model }: ChatSpec): ResumeOptions {
  return {
    ...(servers && { servers }),
    ...(permissions && { permissions }),
    ...(env && { env }),
    ...(model !== undefined && { model }),
  };
}
