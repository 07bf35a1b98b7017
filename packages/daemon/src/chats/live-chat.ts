/** A chat that is open in the host: a conversation on a workspace of its own, with a caller of its own. */
import { HostError } from "@plugboard/contracts";
import type { Caller, ChatEvent, ChatInfo, ChatSpec, ChatView, WorkspaceSpec, Clock } from "@plugboard/contracts";
import { chatTitle, ChatTools, Conversation, readInput, systemPrompt } from "@plugboard/agent/chat";
import { toModelTool } from "@plugboard/host/model-tools";
import { selectionOf } from "@plugboard/host/workspace";
import type { Host } from "@plugboard/host/core";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import { ChatModels } from "./chat-models.ts";
import { toStoredSpec } from "./chat-store.ts";
import type { StoredChat } from "./chat-store.ts";
import type { StoredHistory } from "./history-file.ts";

export interface LiveChatOptions {
  readonly id: string;
  readonly host: Host;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly spec: ChatSpec;
  /** The stored state of a chat that is resumed. */
  readonly stored?: { readonly chat: StoredChat; readonly history: StoredHistory };
  /** Stores the chat. Resolves when its history is stored. Never rejects. */
  readonly save: (chat: LiveChat) => Promise<void>;
}

/** How long the first turn waits for servers whose tools are not known. */
const TOOLS_WAIT_MS = 5000;
/** How long a step waits for the new tools of a server that has reported a change. */
const CHANGE_WAIT_MS = 1000;

export class LiveChat {
  readonly caller: Caller;
  readonly workspace: OpenWorkspace;
  readonly conversation: Conversation;
  readonly #options: LiveChatOptions;
  readonly #models: ChatModels;
  readonly #createdAt: number;
  #updatedAt: number;
  /** True if the host ended during the last turn. False again when the next turn begins. */
  #interrupted: boolean;
  #model: string | undefined;
  /** The title that the user has set, or the stored one. Otherwise the title is made from the first message. */
  #title: string | undefined;

  private constructor(options: LiveChatOptions, workspace: OpenWorkspace) {
    const { id, host, clock, spec, stored } = options;
    this.#options = options;
    this.workspace = workspace;
    this.#models = new ChatModels(host, workspace, spec.env);
    this.caller = { kind: "chat", id };
    this.#createdAt = stored?.chat.info.createdAt ?? clock.now();
    this.#updatedAt = stored?.chat.info.updatedAt ?? this.#createdAt;
    this.#interrupted = stored?.history.running || stored?.chat.info.interrupted || false;
    this.#model = spec.model;
    this.#title = stored?.chat.info.title || undefined;
    const bound = host.bind(workspace, this.caller);
    const started = waitFor(workspace.whenToolsKnown(), TOOLS_WAIT_MS, clock);
    const whenReady = async () => {
      await started;
      // A call may have changed the tools of its server.
      await waitFor(workspace.updateTools(), CHANGE_WAIT_MS, clock);
    };
    const profile = spec.profile === undefined ? undefined : workspace.profile(spec.profile);
    const selection = profile && selectionOf(profile);
    this.conversation = new Conversation({
      id,
      tools: new ChatTools({
        workspace: bound,
        whenReady,
        includes: (tool) => tool.origin === "native" || (selection?.includesTool(tool) ?? true),
        toDefinition: toModelTool,
        toOutput: (tool, result) => host.toModelContent(workspace, tool, result),
      }),
      system: systemPrompt({ cwd: spec.cwd, platform: process.platform, instructions: spec.system }),
      limits: spec.limits,
      openModel: () => this.#models.open(this.#model),
      readInput: (input, signal) => readInput(input, bound, signal),
      emit: (event) => this.#emit(event),
      onChanged: () => this.#onChanged(),
      newId: options.newId,
      after: (ms, callback) => clock.after(ms, callback),
      ...(stored && { history: stored.history }),
    });
  }

  /** Opens the workspace and starts its servers. */
  static async open(options: LiveChatOptions): Promise<LiveChat> {
    const { host, spec } = options;
    const workspace = await openWorkspace(host, spec);
    void workspace.start();
    return new LiveChat(options, workspace);
  }

  /** The chat as it is stored. */
  stored(): StoredChat {
    const { state: _, ...info } = this.info();
    const isRunning = this.conversation.running;
    return { info: { ...info, ...(isRunning && { interrupted: true }) }, spec: toStoredSpec(this.spec) };
  }

  get spec(): ChatSpec {
    return { ...this.#options.spec, ...(this.#model !== undefined && { model: this.#model }) };
  }

  info(): ChatInfo {
    const { id, spec } = this.#options;
    const { history, running, contextTokens } = this.conversation;
    const model = this.#models.idOf(this.#model);
    return {
      id,
      title: this.#title ?? chatTitle(history.messages),
      cwd: spec.cwd,
      ...(spec.profile !== undefined && { profile: spec.profile }),
      ...(model !== undefined && { model }),
      state: running ? "running" : "idle",
      ...(this.#interrupted && { interrupted: true }),
      createdAt: this.#createdAt,
      updatedAt: this.#updatedAt,
      messages: history.messages.length,
      usage: history.usage,
      context: { tokens: history.measured.tokens, ...(contextTokens !== undefined && { limit: contextTokens }) },
    };
  }

  /** Returns the whole chat, with its questions as `reader` may see them. */
  view(reader: Caller): ChatView {
    const { host } = this.#options;
    const { messages, queue, turn } = this.conversation;
    return {
      chat: this.info(),
      caller: this.caller,
      messages,
      turn: [...turn],
      queue: [...queue],
      questions: host.inbox.list(this.caller, reader),
      seq: host.events.seq,
    };
  }

  /** Throws if the model can't be used. */
  async setModel(model: string): Promise<void> {
    await this.#models.open(model);
    this.#model = model;
    void this.#onChanged();
  }

  rename(title: string): void {
    this.#title = title;
    void this.#onChanged();
  }

  /** Cancels the turn, forgets the decisions of the chat, and releases its workspace. */
  async close(): Promise<void> {
    const { host } = this.#options;
    await this.conversation.close();
    this.#emit({ type: "closed" });
    host.inbox.chatWatchers.removeChat(this.caller.id);
    await host.endCaller(this.caller);
    await host.release(this.workspace);
  }

  #onChanged(): Promise<void> {
    const { clock, save } = this.#options;
    if (this.conversation.running) this.#interrupted = false;
    this.#updatedAt = clock.now();
    this.#emit({ type: "info.changed", chat: this.info() });
    return save(this);
  }

  #emit(event: ChatEvent): void {
    const { events, inbox } = this.#options.host;
    const chat = this.caller.id;
    inbox.chatWatchers.address(event, chat);
    events.emit({ type: "chat.event", chat, event });
  }
}

/**
 * Opens the workspace of a chat. The profile can be read only after the workspace is open. If the profile has rules,
 * opens the workspace again with these rules.
 */
async function openWorkspace(host: Host, spec: ChatSpec): Promise<OpenWorkspace> {
  const { profile: name, nativeTools, model: _, system: __, limits: ___, temporary: ____, ...workspaceSpec } = spec;
  const workspace = await host.open(workspaceSpec, { nativeTools });
  if (name === undefined) return workspace;
  const profile = workspace.profile(name);
  if (!profile) {
    await host.release(workspace);
    throw new HostError("NOT_FOUND", { subject: `profile "${name}"` });
  }
  if (!profile.permissions) return workspace;
  await host.release(workspace);
  const permissions = joinRules(spec.permissions, profile.permissions);
  return host.open({ ...workspaceSpec, permissions }, { nativeTools });
}

type Rules = NonNullable<WorkspaceSpec["permissions"]>;

function joinRules(a: Rules = {}, b: Rules = {}): Rules {
  const join = (effect: keyof Rules) => [...(a[effect] ?? []), ...(b[effect] ?? [])];
  return { allow: join("allow"), ask: join("ask"), deny: join("deny") };
}

/** Resolves when the promise settles, or after the time. */
function waitFor(known: Promise<void>, maxMs: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(maxMs, resolve);
    void known.finally(() => {
      cancel();
      resolve();
    });
  });
}
