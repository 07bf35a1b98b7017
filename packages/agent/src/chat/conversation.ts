/**
 * One conversation: runs a turn for each message of the user, one after the other, and emits the events that front ends
 * show. Knows the loop and its ports, but neither where the history is stored nor who watches.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type {
  ChatEvent,
  ChatInput,
  ChatLimits,
  ChatMedia,
  ChatMessage,
  ChatText,
  JsonObject,
  SentInput,
} from "@plugboard/contracts";
import { compactHistory } from "../loop/compact-history.ts";
import { addMessage, closeOpenCalls, EMPTY_HISTORY } from "../loop/history.ts";
import type { History } from "../loop/history.ts";
import type { Model } from "../loop/model.ts";
import { runTurn } from "../loop/run-turn.ts";
import { addUsage, NO_USAGE } from "../loop/usage.ts";
import type { ChatTools } from "./chat-tools.ts";
import { DeltaJoiner } from "./delta-joiner.ts";
import type { After } from "./delta-joiner.ts";
import { shownText } from "./read-input.ts";
import { sampleMessage } from "./sample-message.ts";
import { showEvent, showMessage } from "./show-event.ts";
import type { Shown } from "./show-event.ts";

interface ConversationOptions {
  readonly id: string;
  readonly tools: ChatTools;
  readonly history?: History;
  readonly system: string;
  readonly limits?: ChatLimits | undefined;
  /** Opens the model of the next turn. Throws MODEL_NOT_SET and the like. */
  readonly openModel: () => Promise<Model>;
  /** Reads the resources and the prompt of a message. */
  readonly readInput: (input: ChatInput, signal: AbortSignal) => Promise<readonly (ChatText | ChatMedia)[]>;
  readonly emit: (event: Shown<ChatEvent>) => void;
  /** Called when the history or the state has changed. Resolves when the history is stored. Must not reject. */
  readonly onChanged: () => Promise<void>;
  readonly newId: () => string;
  readonly after: After;
}

/** A turn or a compaction. */
interface RunningWork {
  readonly abort: AbortController;
  /** The id of the message whose turn it is. Absent for a compaction. */
  readonly input?: string;
}

export class Conversation {
  readonly #options: ConversationOptions;
  readonly #joiner: DeltaJoiner;
  #history: History;
  #queue: SentInput[] = [];
  /** The events of the running turn since the last message. */
  #turn: Shown<ChatEvent>[] = [];
  #running: RunningWork | undefined;
  /** Resolves when the turns of all queued messages have ended. */
  #idle: Promise<void> = Promise.resolve();
  #compacting: Promise<void> = Promise.resolve();
  #closed = false;
  /** The usage of sampling requests, which no turn counts. */
  #sampled = NO_USAGE;
  /** The model of the last turn. */
  #model: Model | undefined;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#history = closeOpenCalls(options.history ?? EMPTY_HISTORY);
    this.#joiner = new DeltaJoiner(options.after, (event) => this.#record(event));
  }

  get history(): History {
    return { ...this.#history, usage: addUsage(this.#history.usage, this.#sampled) };
  }

  /** The messages as front ends show them. */
  get messages(): readonly Shown<ChatMessage>[] {
    return this.#history.messages.map(showMessage);
  }

  get running(): boolean {
    return this.#running !== undefined;
  }

  get queue(): readonly SentInput[] {
    return this.#queue;
  }

  /** The tokens that the model of the last turn accepts, if known. */
  get contextTokens(): number | undefined {
    return this.#model?.contextTokens;
  }

  /** The events of the running turn since the last message, with joined deltas. */
  get turn(): readonly Shown<ChatEvent>[] {
    this.#joiner.flush();
    return this.#turn;
  }

  /** Answers a sampling request of a server with the model of the chat. */
  async sample(request: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { result, usage } = await sampleMessage(await this.#options.openModel(), request, signal);
    this.#sampled = addUsage(this.#sampled, usage);
    void this.#options.onChanged();
    return result;
  }

  /** Resolves when no turn runs and no message waits. */
  async whenIdle(): Promise<void> {
    await this.#compacting;
    await this.#idle;
  }

  /** Cancels the running turn and accepts no more messages. */
  async close(): Promise<void> {
    this.#closed = true;
    this.cancel();
    await this.whenIdle();
  }

  /** Throws if there is no model, so that the message is not lost in a turn that can't begin. */
  async send(input: ChatInput): Promise<SentInput> {
    const model = await this.#options.openModel();
    if (this.#closed) throw new HostError("NOT_FOUND", { subject: "chat with this id" });
    const sent = { id: this.#options.newId(), input };
    this.#queue.push(sent);
    if (this.#running) this.#emit({ type: "input.queued", queued: sent });
    else this.#idle = this.#runQueue(model);
    return sent;
  }

  /**
   * Cancels the running turn. Returns the waiting messages, which are not sent. With the id of a message, cancels only
   * its turn, or removes only this message from the queue.
   */
  cancel(input?: string): readonly SentInput[] {
    const isMeant = (id: string | undefined) => input === undefined || id === input;
    const removed = this.#queue.filter(({ id }) => isMeant(id));
    this.#queue = this.#queue.filter(({ id }) => !isMeant(id));
    if (removed.length > 0) this.#emit({ type: "inputs.removed", inputs: removed.map(({ id }) => id) });
    if (isMeant(this.#running?.input)) this.#running?.abort.abort();
    return removed;
  }

  clear(): void {
    this.#throwIfBusy();
    // The usage is that of the whole chat, so it stays.
    this.#history = { ...EMPTY_HISTORY, usage: this.#history.usage };
    this.#emit({ type: "cleared" });
    void this.#options.onChanged();
  }

  async compact(instructions: string | undefined): Promise<void> {
    this.#throwIfBusy();
    const compacting = this.#compact(instructions);
    this.#compacting = compacting.catch(() => {});
    return compacting;
  }

  async #compact(instructions: string | undefined): Promise<void> {
    const abort = new AbortController();
    this.#running = { abort };
    void this.#options.onChanged();
    try {
      const model = await this.#options.openModel();
      const { history, removedMessages, usage } = await compactHistory({
        model,
        history: this.#history,
        signal: abort.signal,
        ...(instructions !== undefined && { instructions }),
      });
      this.#history = history;
      if (removedMessages === 0) return;
      this.#emit({ type: "usage", usage, turn: usage });
      this.#emit({ type: "compacted", removedMessages, messages: history.messages });
    } finally {
      this.#running = undefined;
      void this.#options.onChanged();
      // Messages may have arrived during the compaction.
      if (this.#queue.length > 0) this.#idle = this.#runQueue(undefined);
    }
  }

  /** `model`: the model of the first turn, if it has been opened. */
  async #runQueue(model: Model | undefined): Promise<void> {
    let next = model;
    for (let sent = this.#queue.shift(); sent; sent = this.#queue.shift()) {
      const abort = new AbortController();
      this.#running = { abort, input: sent.id };
      void this.#options.onChanged();
      await this.#runTurn(sent, next, abort.signal);
      next = undefined;
      this.#running = undefined;
      this.#turn = [];
      void this.#options.onChanged();
    }
  }

  /** Never rejects. */
  async #runTurn({ id: input, input: message }: SentInput, opened: Model | undefined, signal: AbortSignal) {
    const { tools, system, limits = {}, openModel, readInput, newId } = this.#options;
    try {
      const model = opened ?? (await openModel());
      this.#model = model;
      // The prompt is read in the turn, so that it can be cancelled and its questions belong to the turn.
      this.#emit({ type: "turn.started", input, model: model.id });
      const prompt = await readInput(message, signal);
      const turn = runTurn({
        input,
        model,
        tools: tools.inTurn((event) => this.#emit(event)),
        history: this.#history,
        prompt,
        shownText: shownText(message),
        system,
        signal,
        limits,
        newId,
      });
      let event: ChatEvent | undefined;
      for (;;) {
        const next = await turn.next();
        if (next.done) {
          this.#history = next.value;
          break;
        }
        event = next.value;
        if (event.type !== "turn.finished") await this.#onTurnEvent(event);
      }
      // `turn.finished` was held back until here, so that the history is complete when front ends get it.
      if (event) this.#emit(event);
    } catch (thrown) {
      // The model or an attachment could not be opened, so the loop has not started.
      const reason = signal.aborted ? "cancelled" : "failed";
      const error = signal.aborted ? {} : { error: toHostError(thrown).toJSON() };
      this.#emit({ type: "turn.finished", input, reason, ...error, usage: NO_USAGE });
    }
  }

  /** Updates the history and emits the event. Waits only for a message, until it is stored. */
  async #onTurnEvent(event: ChatEvent): Promise<void> {
    switch (event.type) {
      case "turn.started":
        return;
      case "message.added":
        this.#history = addMessage(this.#history, event.message);
        this.#emit(event);
        // A call may have an effect, so the message that requests it is stored before it runs.
        return this.#options.onChanged();
      case "usage":
        this.#history = { ...this.#history, usage: addUsage(this.#history.usage, event.usage) };
        return this.#emit(event);
      case "compacted":
        this.#history = { ...this.#history, messages: event.messages, measured: EMPTY_HISTORY.measured };
        this.#emit(event);
        return void this.#options.onChanged();
      default:
        this.#emit(event);
    }
  }

  #emit(event: ChatEvent): void {
    this.#joiner.add(event);
  }

  /**
   * Emits the event and adds it to `#turn`. A message or a compaction makes the earlier events of the turn obsolete.
   */
  #record(recorded: ChatEvent): void {
    const event = showEvent(recorded);
    if (event.type === "message.added" || event.type === "compacted") {
      this.#turn = this.#turn.filter(({ type }) => type === "turn.started");
    } else if (event.type === "turn.finished") this.#turn = [];
    else if (this.#running) this.#turn.push(event);
    this.#options.emit(event);
  }

  #throwIfBusy(): void {
    if (this.#running) throw new HostError("CHAT_BUSY", { chat: this.#options.id });
  }
}
