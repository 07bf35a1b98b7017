/** All chats of a host: open ones and stored ones. Implements the methods of `Chats` for the callers of the host. */
import { hasRight, holderOf, HostError, requireRight, toHostError } from "@plugboard/contracts";
import type {
  Caller,
  ChatInfo,
  Chats,
  ChatSpec,
  ChatView,
  ListChatsOptions,
  ListModelsOptions,
  ModelChoices,
  ResumeOptions,
  Clock,
} from "@plugboard/contracts";
import type { ModelPort } from "@plugboard/host";
import type { ChatService, Host } from "@plugboard/host/core";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import { ChatModels } from "./chat-models.ts";
import { ChatStore } from "./chat-store.ts";
import type { StoredChat } from "./chat-store.ts";
import { ChatWriter } from "./chat-writer.ts";
import { checkChatInput } from "./check-chat-input.ts";
import { LiveChat } from "./live-chat.ts";
import type { LiveChatOptions } from "./live-chat.ts";

export interface ChatRegistryOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly newId: () => string;
}

export class ChatRegistry implements ChatService {
  readonly #options: ChatRegistryOptions;
  readonly #store: ChatStore;
  readonly #writer: ChatWriter;
  /** Open chats, and those that are being opened. */
  readonly #live = new Map<string, Promise<LiveChat>>();
  /** The chats of `#live` that have been opened. */
  readonly #open = new Map<string, LiveChat>();
  /** Chats that are being closed and saved. `resume` waits for them. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor(options: ChatRegistryOptions) {
    const { host } = options;
    this.#options = options;
    this.#store = new ChatStore(host.stateFolder);
    const onError = (thrown: unknown) =>
      host.events.emit({ type: "state.failed", error: toHostError(thrown).toJSON() });
    this.#writer = new ChatWriter(this.#store, onError);
    host.inbox.chatWatchers.onUnwatched((chat) => void this.#onUnwatched(chat).catch(onError));
  }

  get openChats(): number {
    return this.#live.size + this.#closing.size;
  }

  for(caller: Caller): Chats {
    // Returns an open chat. Throws FORBIDDEN if the caller may not use its tools.
    const usable = (id: string): LiveChat => {
      const chat = this.#find(id);
      requireToolRights(chat.spec, caller);
      return chat;
    };
    const changed = async (id: string, change: (chat: LiveChat) => Promise<void> | void): Promise<LiveChat> => {
      const chat = usable(id);
      await change(chat);
      return chat;
    };
    return {
      create: (spec) => this.#create(spec, caller),
      resume: (id, options) => this.#resume(id, options, caller),
      leave: async (id) => this.#options.host.inbox.chatWatchers.remove(id, caller),
      list: (options) => this.#list(options),
      send: async (id, input) => {
        checkChatInput(input);
        return usable(id).conversation.send(input);
      },
      cancel: async (id, { input } = {}) => [...this.#find(id).conversation.cancel(input)],
      setModel: async (id, model) => (await changed(id, (chat) => chat.setModel(model))).info(),
      compact: async (id, { instructions } = {}) =>
        (await changed(id, (chat) => chat.conversation.compact(instructions))).view(caller),
      clear: async (id) => (await changed(id, (chat) => chat.conversation.clear())).view(caller),
      rename: async (id, title) => (await changed(id, (chat) => chat.rename(title))).info(),
      close: async (id) => this.#close(this.#find(id)),
      remove: (id) => this.#remove(id),
      models: (options) => this.#models(options),
    };
  }

  workspace(id: string, caller: Caller): OpenWorkspace {
    const chat = this.#find(id);
    requireToolRights(chat.spec, caller);
    return chat.workspace;
  }

  modelOf(chat: string): ModelPort | undefined {
    const conversation = this.#open.get(chat)?.conversation;
    return conversation && ((request, { signal }) => conversation.sample(request, signal));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#live.values());
    await Promise.all([...this.#open.values()].map((chat) => this.#close(chat)));
    await Promise.all(this.#closing.values());
  }

  async #create(spec: ChatSpec, caller: Caller): Promise<ChatView> {
    const nativeTools = spec.nativeTools ?? hasRight(holderOf(caller), "use_native_tools");
    requireToolRights({ nativeTools }, caller);
    return this.#watch(await this.#openNew(this.#options.newId(), { ...spec, nativeTools }), caller);
  }

  #openNew(id: string, spec: ChatSpec): Promise<LiveChat> {
    return this.#openChat(id, async () => {
      if (!spec.temporary) await this.#store.open(id).catch(ignoreUnwritable);
      return { spec };
    });
  }

  async #resume(id: string, options: ResumeOptions = {}, caller: Caller): Promise<ChatView> {
    for (;;) {
      await this.#closing.get(id);
      const { spec } = this.#open.get(id) ?? (await this.#store.find(id)) ?? {};
      if (spec) requireToolRights(spec, caller);
      const chat = await (this.#live.get(id) ?? this.#openChat(id, () => this.#load(id, options)));
      // Another caller may have closed the chat meanwhile.
      if (this.#open.get(id) === chat) return this.#watch(chat, caller);
    }
  }

  async #load(id: string, options: ResumeOptions): Promise<Pick<LiveChatOptions, "spec" | "stored">> {
    // Another host may have removed the chat, or have it open.
    if (!(await this.#store.find(id))) throw chatUnknown();
    await this.#store.open(id).catch(ignoreUnwritable);
    const [chat, history] = await Promise.all([this.#store.find(id), this.#store.history(id)]);
    if (!chat || !history) throw chatUnknown();
    return { spec: { ...chat.spec, ...options }, stored: { chat, history } };
  }

  /** The view is made in the same tick as the watch begins, so that no event is missed. */
  #watch(chat: LiveChat, caller: Caller): ChatView {
    this.#options.host.inbox.chatWatchers.add(chat.caller.id, caller);
    return chat.view(caller);
  }

  /** Adds the chat to `#live` at once, so that two callers that resume it at the same time get the same `LiveChat`. */
  #openChat(id: string, load: () => Promise<Pick<LiveChatOptions, "spec" | "stored">>): Promise<LiveChat> {
    const { host, clock, newId } = this.#options;
    const open = async () => {
      try {
        const loaded = await load();
        const save = loaded.spec.temporary ? async () => {} : (chat: LiveChat) => this.#writer.save(chat);
        const chat = await LiveChat.open({ id, host, clock, newId, save, ...loaded });
        this.#open.set(id, chat);
        return chat;
      } catch (thrown) {
        this.#live.delete(id);
        await this.#store.close(id);
        throw thrown;
      }
    };
    const live = open();
    this.#live.set(id, live);
    return live;
  }

  async #list({ cwd, limit = Infinity }: ListChatsOptions = {}): Promise<ChatInfo[]> {
    const stored = await this.#store.list();
    // A temporary chat belongs to its watcher. Nobody else should come back to it.
    const open = [...this.#open.values()].filter(({ spec }) => !spec.temporary).map((chat) => chat.info());
    const closed = stored
      .filter(({ info }) => !this.#open.has(info.id))
      .map((chat) => toClosedInfo(chat, this.#closing.has(chat.info.id)));
    return [...open, ...closed]
      .filter((chat) => cwd === undefined || chat.cwd === cwd)
      .toSorted((a, b) => b.updatedAt - a.updatedAt)
      .slice(0, limit);
  }

  async #remove(id: string): Promise<boolean> {
    const live = await this.#live.get(id)?.catch(() => undefined);
    if (live) await this.#close(live);
    await this.#closing.get(id);
    const removed = await this.#store.remove(id);
    return removed || live !== undefined;
  }

  async #models({ cwd = process.cwd() }: ListModelsOptions = {}): Promise<ModelChoices> {
    const { host } = this.#options;
    const workspace = await host.open({ cwd });
    try {
      return await new ChatModels(host, workspace).choices();
    } finally {
      await host.release(workspace);
    }
  }

  /**
   * Called when nobody watches a chat any more. Closes a temporary chat at once, and any other chat after its turns.
   */
  async #onUnwatched(id: string): Promise<void> {
    const { inbox } = this.#options.host;
    inbox.dismissChat(id);
    const chat = this.#open.get(id);
    if (!chat) return;
    if (chat.spec.temporary) return this.#close(chat);
    await chat.conversation.whenIdle();
    // Another caller may have resumed the chat meanwhile.
    if (inbox.chatWatchers.of(id).length === 0 && this.#open.get(id) === chat) await this.#close(chat);
  }

  #close(chat: LiveChat): Promise<void> {
    const { id } = chat.caller;
    if (this.#open.get(id) !== chat) return this.#closing.get(id) ?? Promise.resolve();
    this.#open.delete(id);
    this.#live.delete(id);
    const closing = this.#finish(chat).finally(() => this.#closing.delete(id));
    this.#closing.set(id, closing);
    return closing;
  }

  async #finish(chat: LiveChat): Promise<void> {
    await chat.close();
    if (chat.spec.temporary) return;
    // The next caller that resumes the chat reads it from its files.
    await this.#writer.flush(chat);
    await this.#store.close(chat.caller.id);
  }

  #find(id: string): LiveChat {
    const chat = this.#open.get(id);
    if (!chat) throw chatUnknown();
    return chat;
  }
}

/**
 * Throws FORBIDDEN if the chat has native tools and the caller may not use them. Through its messages and its choice of
 * the model, the caller could make the chat call these tools.
 */
function requireToolRights({ nativeTools }: Pick<ChatSpec, "nativeTools">, caller: Caller): void {
  if (nativeTools !== false) requireRight(caller, "use_native_tools");
}

/** Drops `interrupted` for a chat that is being closed: its turn was cancelled, not lost. */
function toClosedInfo({ info: { interrupted, ...info } }: StoredChat, isClosing: boolean): ChatInfo {
  return { ...info, state: "closed", ...(interrupted && !isClosing && { interrupted }) };
}

/** A chat that can't be stored still works. The writer reports that it is not stored. */
function ignoreUnwritable(thrown: unknown): void {
  if (!(thrown instanceof HostError && thrown.code === "STORE_UNWRITABLE")) throw thrown;
}

function chatUnknown(): HostError {
  return new HostError("NOT_FOUND", { subject: "chat with this id" });
}
