/** All chats of a host: open ones and stored ones. Implements the methods of `Chats` for the callers of the host. */
import { HostError, isJsonObject, toHostError } from "@plugboard/contracts";
import type {
  Caller,
  ChatInfo,
  ChatInput,
  Chats,
  ChatSpec,
  ChatView,
  ListChatsOptions,
  ListModelsOptions,
  ModelChoices,
  ResumeOptions,
} from "@plugboard/contracts";
import type { Clock } from "@plugboard/gateway";
import type { ModelPort } from "@plugboard/host";
import type { ChatService, Host, OpenWorkspace } from "@plugboard/host/internal";
import { ChatModels } from "./chat-models.ts";
import { ChatStore } from "./chat-store.ts";
import type { StoredChat } from "./chat-store.ts";
import { LiveChat } from "./live-chat.ts";

export interface ChatRegistryOptions {
  readonly host: Host;
  readonly clock: Clock;
  readonly newId: () => string;
}

export class ChatRegistry implements ChatService {
  readonly #options: ChatRegistryOptions;
  readonly #store: ChatStore;
  /** Open chats, and those that are being opened. */
  readonly #live = new Map<string, Promise<LiveChat>>();
  readonly #open = new Map<string, LiveChat>();
  /** The end of the last write, by chat. */
  readonly #writes = new Map<string, Promise<void>>();
  readonly #temporary = new Set<string>();

  constructor(options: ChatRegistryOptions) {
    const { host } = options;
    this.#options = options;
    this.#store = new ChatStore(host.stateFolder);
    host.inbox.chatWatchers.onUnwatched((chat) => void this.#onUnwatched(chat));
  }

  get openChats(): number {
    return this.#live.size;
  }

  for(caller: Caller): Chats {
    const info = async (id: string, change: (chat: LiveChat) => Promise<void> | void): Promise<ChatInfo> => {
      const chat = this.#find(id);
      await change(chat);
      return chat.info();
    };
    const view = async (id: string, change: (chat: LiveChat) => Promise<void> | void): Promise<ChatView> => {
      const chat = this.#find(id);
      await change(chat);
      return chat.view();
    };
    return {
      create: (spec) => this.#create(spec, caller),
      resume: (id, options) => this.#resume(id, options, caller),
      leave: async (id) => this.#options.host.inbox.chatWatchers.remove(id, caller),
      list: (options) => this.#list(options),
      send: async (id, input) => {
        checkInput(input);
        return this.#find(id).conversation.send(input);
      },
      cancel: async (id) => [...this.#find(id).conversation.cancel()],
      setModel: (id, model) => info(id, (chat) => chat.setModel(model)),
      compact: (id, { instructions } = {}) => view(id, (chat) => chat.conversation.compact(instructions)),
      clear: (id) => view(id, (chat) => chat.conversation.clear()),
      rename: (id, title) => info(id, (chat) => chat.rename(title)),
      close: async (id) => this.#close(this.#find(id)),
      remove: (id) => this.#remove(id),
      models: (options) => this.#models(options),
    };
  }

  workspace(chat: string): OpenWorkspace {
    return this.#find(chat).workspace;
  }

  modelOf(chat: string): ModelPort | undefined {
    const conversation = this.#open.get(chat)?.conversation;
    return conversation && ((request, { signal }) => conversation.sample(request, signal));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((chat) => this.#close(chat)));
  }

  async #create(spec: ChatSpec, caller: Caller): Promise<ChatView> {
    const id = this.#options.newId();
    if (spec.temporary) this.#temporary.add(id);
    return this.#watch(await this.#openChat(id, spec), caller);
  }

  async #resume(id: string, options: ResumeOptions = {}, caller: Caller): Promise<ChatView> {
    const live = await this.#live.get(id);
    if (live) return this.#watch(live, caller);
    const [stored, history] = await Promise.all([this.#store.find(id), this.#store.history(id)]);
    if (!stored || !history) throw chatUnknown();
    return this.#watch(await this.#openChat(id, { ...stored.spec, ...options }, { chat: stored, history }), caller);
  }

  /** The view is made in the same tick as the watch begins, so that no event is missed. */
  #watch(chat: LiveChat, caller: Caller): ChatView {
    this.#options.host.inbox.chatWatchers.add(chat.caller.id, caller);
    return chat.view();
  }

  /** Two callers that resume a chat at the same time get the same one. */
  #openChat(id: string, spec: ChatSpec, stored?: Parameters<typeof LiveChat.open>[0]["stored"]): Promise<LiveChat> {
    const before = this.#live.get(id);
    if (before) return before;
    const { host, clock, newId } = this.#options;
    const opening = LiveChat.open({
      id,
      host,
      clock,
      newId,
      spec,
      save: (chat) => this.#save(chat),
      ...(stored && { stored }),
    });
    this.#live.set(id, opening);
    return opening.then(
      (chat) => {
        this.#open.set(id, chat);
        return chat;
      },
      (error: unknown) => {
        this.#live.delete(id);
        throw error;
      },
    );
  }

  async #list({ cwd, limit = Infinity }: ListChatsOptions = {}): Promise<ChatInfo[]> {
    const stored = await this.#store.list();
    const open = [...this.#open.values()].map((chat) => chat.info());
    const closed = stored.filter(({ info }) => !this.#open.has(info.id)).map(toClosedInfo);
    return [...open, ...closed]
      .filter((chat) => cwd === undefined || chat.cwd === cwd)
      .toSorted((a, b) => b.updatedAt - a.updatedAt)
      .slice(0, limit);
  }

  async #remove(id: string): Promise<boolean> {
    const live = this.#open.get(id);
    if (live) await this.#close(live);
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

  async #onUnwatched(id: string): Promise<void> {
    const { inbox } = this.#options.host;
    inbox.dismissChat(id);
    const chat = this.#open.get(id);
    if (!chat) return;
    if (this.#temporary.has(id)) return this.#close(chat);
    await chat.conversation.whenIdle();
    // Another caller may have resumed the chat meanwhile.
    if (inbox.chatWatchers.of(id).length === 0 && this.#open.get(id) === chat) await this.#close(chat);
  }

  async #close(chat: LiveChat): Promise<void> {
    const { id } = chat.caller;
    await chat.close();
    // A caller that resumes the chat reads the file.
    await this.#writes.get(id);
    this.#writes.delete(id);
    this.#live.delete(id);
    this.#open.delete(id);
    this.#temporary.delete(id);
  }

  /** Writes the latest state after the write before it has ended. */
  #save(chat: LiveChat): void {
    const { id } = chat.caller;
    if (this.#temporary.has(id) || chat.conversation.history.messages.length === 0) return;
    const write = async () => {
      const { state: _, ...info } = chat.info();
      const { history } = chat.conversation;
      const { cwd, configFiles, exclude, naming, profile, model, nativeTools, system, limits } = chat.spec;
      const spec = definedOnly({ cwd, configFiles, exclude, naming, profile, model, nativeTools, system, limits });
      await this.#store.save({ info, spec: spec as StoredChat["spec"] }, history);
    };
    const emitFailure = (thrown: unknown) =>
      this.#options.host.events.emit({ type: "state.failed", error: toHostError(thrown).toJSON() });
    const written = (this.#writes.get(id) ?? Promise.resolve()).then(write).catch(emitFailure);
    this.#writes.set(id, written);
  }

  #find(id: string): LiveChat {
    const chat = this.#open.get(id);
    if (!chat) throw chatUnknown();
    return chat;
  }
}

/** A client of another version, or another program, may send anything. */
function checkInput(input: unknown): asserts input is ChatInput {
  const problem = findInputProblem(input);
  if (problem !== undefined) throw new HostError("USAGE", { message: problem });
}

function findInputProblem(input: unknown): string | undefined {
  if (!isJsonObject(input) || typeof input["text"] !== "string") return 'a message needs "text"';
  const { text, resources, prompt } = input;
  const hasTexts = (value: unknown, ...keys: string[]) =>
    isJsonObject(value) && keys.every((key) => typeof value[key] === "string");
  if (
    resources !== undefined &&
    !(Array.isArray(resources) && resources.every((one) => hasTexts(one, "server", "uri")))
  )
    return '"resources" must be a list of objects with "server" and "uri"';
  if (prompt !== undefined && !hasTexts(prompt, "server", "name")) return '"prompt" must have "server" and "name"';
  const isEmpty = text === "" && prompt === undefined && (resources === undefined || resources.length === 0);
  return isEmpty ? "a message must not be empty" : undefined;
}

function toClosedInfo({ info }: StoredChat): ChatInfo {
  return { ...info, state: "closed" };
}

function definedOnly(value: { readonly [key: string]: unknown }): object {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
}

function chatUnknown(): HostError {
  return new HostError("NOT_FOUND", { subject: "chat with this id" });
}
