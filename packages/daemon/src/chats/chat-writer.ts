/**
 * Stores open chats. A turn waits until its history is stored, but not for the file with the information, because each
 * write of that file waits for the disk.
 */
import type { ChatStore } from "./chat-store.ts";
import type { LiveChat } from "./live-chat.ts";
import { RepeatedWrite } from "./repeated-write.ts";

interface Writes {
  readonly history: RepeatedWrite;
  readonly info: RepeatedWrite;
}

export class ChatWriter {
  readonly #store: ChatStore;
  readonly #onError: (thrown: unknown) => void;
  readonly #writes = new WeakMap<LiveChat, Writes>();
  readonly #listed = new WeakSet<LiveChat>();

  constructor(store: ChatStore, onError: (thrown: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
  }

  /** Resolves when the history is stored and the chat is in the list, or if storing has failed. Never rejects. */
  save(chat: LiveChat): Promise<void> {
    const { history, info } = this.#writesOf(chat);
    const stored = history.request();
    // The history is stored first, so that a listed chat always has one.
    const listed = stored.then(() => info.request());
    return this.#listed.has(chat) ? stored : listed;
  }

  /** Resolves when the whole chat is stored, or if storing has failed. Never rejects. */
  async flush(chat: LiveChat): Promise<void> {
    const { history, info } = this.#writesOf(chat);
    await history.request();
    await info.request();
  }

  #writesOf(chat: LiveChat): Writes {
    let writes = this.#writes.get(chat);
    if (!writes) {
      const store = this.#store;
      const { id } = chat.caller;
      // A new chat without messages is not stored, but a chat that was cleared is.
      const isStored = async () =>
        chat.conversation.history.messages.length > 0 || (await store.find(id)) !== undefined;
      const saveHistory = async () => {
        const { history, running } = chat.conversation;
        if (await isStored()) await store.saveHistory(id, { ...history, running });
      };
      const saveInfo = async () => {
        if (!(await isStored())) return;
        await store.saveInfo(chat.stored());
        this.#listed.add(chat);
      };
      const onError = this.#onError;
      writes = { history: new RepeatedWrite(saveHistory, onError), info: new RepeatedWrite(saveInfo, onError) };
      this.#writes.set(chat, writes);
    }
    return writes;
  }
}
