/** Remembers which callers watch which chats. A watcher may answer the questions of the chat, and gets its events. */
import { Listeners } from "@plugboard/contracts";
import type { Caller, ChatEvent } from "@plugboard/contracts";

export class ChatWatchers {
  /** The ids of the watching callers, by chat. */
  readonly #watchers = new Map<string, Set<string>>();
  /**
   * The watchers that may read each event. `removeChat` does not empty these sets, so that a slow reader also gets the
   * last events of a closed chat.
   */
  readonly #receivers = new WeakMap<ChatEvent, ReadonlySet<string>>();
  readonly #unwatched = new Listeners<[chat: string]>();
  /** The callers that have ended. They can't watch a chat any more. */
  readonly #ended = new WeakSet<Caller>();

  /**
   * Lets the caller watch the chat. Ignores a caller that ended while the chat was being opened. If nobody else watches
   * the chat, it is then reported as unwatched.
   */
  add(chat: string, caller: Caller): void {
    if (this.#ended.has(caller)) {
      if (!this.#watchers.has(chat)) this.#unwatched.emit(chat);
      return;
    }
    const watchers = this.#watchers.get(chat) ?? new Set();
    this.#watchers.set(chat, watchers.add(caller.id));
  }

  remove(chat: string, caller: Caller): void {
    const watchers = this.#watchers.get(chat);
    if (!watchers?.delete(caller.id) || watchers.size > 0) return;
    this.#watchers.delete(chat);
    this.#unwatched.emit(chat);
  }

  /** Ends all watches of a caller that ends. */
  removeCaller(caller: Caller): void {
    this.#ended.add(caller);
    for (const chat of [...this.#watchers.keys()]) this.remove(chat, caller);
  }

  /** Ends all watches of a chat that is closed. It is not reported as unwatched. */
  removeChat(chat: string): void {
    this.#watchers.delete(chat);
  }

  /** Lets the watchers of the chat read this event. Must be called before the event is emitted. */
  address(event: ChatEvent, chat: string): void {
    const watchers = this.#watchers.get(chat);
    if (watchers) this.#receivers.set(event, watchers);
  }

  mayRead(event: ChatEvent, caller: Caller): boolean {
    return this.#receivers.get(event)?.has(caller.id) === true;
  }

  watches(chat: string, caller: Caller): boolean {
    return this.#watchers.get(chat)?.has(caller.id) === true;
  }

  /** Returns the ids of the callers that watch the chat. */
  of(chat: string): readonly string[] {
    return [...(this.#watchers.get(chat) ?? [])];
  }

  /** Calls the listener when the last watcher of a chat has left. */
  onUnwatched(listener: (chat: string) => void): () => void {
    return this.#unwatched.add(listener);
  }
}
