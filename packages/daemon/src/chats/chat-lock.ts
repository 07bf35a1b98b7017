/** Keeps a chat for one host while it is open, because two hosts would overwrite each other's messages. */
import { dirname } from "node:path";
import { HostError } from "@plugboard/contracts";
import { makeFolder, unwritableError, withLock } from "@plugboard/store";

export class ChatLock {
  readonly #free: () => void;
  readonly #held: Promise<void>;

  private constructor(free: () => void, held: Promise<void>) {
    this.#free = free;
    this.#held = held;
  }

  /** Throws CHAT_BUSY at once if a host that is alive has the lock. */
  static async take(chat: string, file: string): Promise<ChatLock> {
    await makeFolder(dirname(file)).catch((error: unknown) => {
      throw unwritableError(file, error);
    });
    let free = () => {};
    const freed = new Promise<void>((resolve) => (free = resolve));
    let held = Promise.resolve();
    try {
      await new Promise<void>((resolve, reject) => {
        // The lock is held until `freed` resolves.
        const hold = () => (resolve(), freed);
        held = withLock(file, hold, { timeoutMs: 0 });
        held.catch(reject);
      });
    } catch (thrown) {
      if (!(thrown instanceof HostError && thrown.code === "STORE_BUSY")) throw thrown;
      const { holder } = thrown.details as { readonly holder: string };
      throw new HostError("CHAT_BUSY", { chat, holder }, { cause: thrown });
    }
    return new ChatLock(free, held);
  }

  async release(): Promise<void> {
    this.#free();
    await this.#held;
  }
}
