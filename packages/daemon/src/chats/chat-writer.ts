/** Stores open chats, one write at a time for each chat. Changes during a write are stored together after it. */
import type { ChatStore } from "./chat-store.ts";
import type { LiveChat } from "./live-chat.ts";

export class ChatWriter {
  readonly #store: ChatStore;
  readonly #onError: (thrown: unknown) => void;
  /** The chats that are being written. The value says whether they have changed since the write began. */
  readonly #writing = new Map<LiveChat, { changed: boolean; readonly end: Promise<void> }>();

  constructor(store: ChatStore, onError: (thrown: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  save(chat: LiveChat): void {
    const writing = this.#writing.get(chat);
    if (writing) writing.changed = true;
    else this.#writing.set(chat, { changed: true, end: this.#write(chat) });
  }

  /** Resolves when all changes of the chat are stored, or could not be. */
  async flush(chat: LiveChat): Promise<void> {
    await this.#writing.get(chat)?.end;
  }

  async #write(chat: LiveChat): Promise<void> {
    // Lets the changes of this tick be stored together.
    await Promise.resolve();
    for (let writing = this.#writing.get(chat); writing?.changed;) {
      writing.changed = false;
      try {
        await this.#writeOnce(chat);
      } catch (thrown) {
        this.#onError(thrown);
      }
    }
    this.#writing.delete(chat);
  }

  async #writeOnce(chat: LiveChat): Promise<void> {
    const { history } = chat.conversation;
    // A new chat without messages is not stored. A chat that was cleared is.
    if (history.messages.length === 0 && !(await this.#store.find(chat.caller.id))) return;
    await this.#store.save(chat.stored(), history);
  }
}
