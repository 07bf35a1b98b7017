/**
 * The chats that the page watches. A chat whose turn runs stays watched after its view is closed, because the questions
 * of an unwatched chat reach nobody. The watch ends when its turns are done. A new chat with a draft stays watched,
 * too, because the host stores no chat without messages.
 */
import type { Chats, ChatView, HostEvent } from "@plugboard/contracts";

export interface WatchedChatsOptions {
  /** The chats of the current connection. Throws if there is none. */
  readonly chats: () => Chats;
  readonly onEvent: (listener: (event: HostEvent) => void) => () => void;
  /** Returns whether the user has begun a message of the chat. */
  readonly hasDraft: (chat: string) => boolean;
}

/** How long the page waits after a turn before it leaves the chat. A queued message starts the next turn at once. */
const LEAVE_DELAY_MS = 1000;

export class WatchedChats {
  readonly #options: WatchedChatsOptions;
  /** How many views show each chat. */
  readonly #views = new Map<string, number>();
  readonly #running = new Set<string>();
  /** Chats without messages. */
  readonly #unsent = new Set<string>();

  constructor(options: WatchedChatsOptions) {
    this.#options = options;
    options.onEvent((event) => {
      if (event.type !== "chat.event") return;
      if (event.event.type === "turn.started") {
        this.#running.add(event.chat);
        this.#unsent.delete(event.chat);
      }
      if (event.event.type === "turn.finished" || event.event.type === "closed") {
        this.#running.delete(event.chat);
        setTimeout(() => this.#leaveUnused(event.chat), LEAVE_DELAY_MS);
      }
    });
  }

  /** Watches a chat for one view, until this view calls `close`. */
  async open(id: string): Promise<ChatView> {
    this.#views.set(id, (this.#views.get(id) ?? 0) + 1);
    const view = await this.#options.chats().resume(id);
    if (view.chat.state === "running") this.#running.add(id);
    if (view.messages.length === 0 && view.chat.state !== "running") this.#unsent.add(id);
    return view;
  }

  close(id: string): void {
    const left = (this.#views.get(id) ?? 1) - 1;
    if (left > 0) this.#views.set(id, left);
    else this.#views.delete(id);
    this.#leaveUnused(id);
  }

  #leaveUnused(id: string): void {
    if (this.#views.has(id) || this.#running.has(id)) return;
    if (this.#unsent.has(id) && this.#options.hasDraft(id)) return;
    this.#unsent.delete(id);
    // The host may have ended the chat, or the connection.
    void Promise.resolve()
      .then(() => this.#options.chats().leave(id))
      .catch(() => {});
  }
}
