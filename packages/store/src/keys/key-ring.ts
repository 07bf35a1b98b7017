/**
 * Encrypts texts with keys that several processes share (AES-256-GCM). The first key encrypts, and all keys decrypt, so
 * that a key can be replaced while older texts are still in use. An encrypted text names its key, and can be decrypted
 * only for its purpose.
 */
import { randomBytes } from "node:crypto";
import { HostError } from "@plugboard/contracts";
import type { Clock, KeyInfo } from "@plugboard/contracts";
import { decryptAesGcm, encryptAesGcm, newAesKey } from "./aes-gcm.ts";

/** Says what a text is encrypted for. Decrypting needs the same purpose. */
export interface SealPurpose {
  readonly kind: string;
  readonly key: string;
}

export interface StoredKey {
  readonly id: string;
  /** 32 bytes as base64. */
  readonly secret: string;
  readonly created_at: number;
}

/** The keys, the newest first. */
export interface StoredKeys {
  readonly keys: readonly StoredKey[];
}

export interface KeyStorage {
  read(): Promise<StoredKeys>;
  /** Changes the keys while no other process does. */
  update(change: (current: StoredKeys) => StoredKeys): Promise<StoredKeys>;
}

const MAX_KEYS = 16;

export class KeyRing {
  readonly #storage: KeyStorage;
  readonly #clock: Pick<Clock, "now">;

  constructor(storage: KeyStorage, clock: Pick<Clock, "now">) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /** Returns the keys without their secrets, the newest first. */
  async list(): Promise<KeyInfo[]> {
    const { keys } = await this.#storage.read();
    return keys.map(({ id, created_at: createdAt }, index) => ({ id, createdAt, encrypts: index === 0 }));
  }

  /**
   * Creates the first key if there is none. Reads the keys each time, because another process may have rotated them.
   */
  async seal(text: string, purpose: SealPurpose): Promise<string> {
    const { keys } = await this.#storage.read();
    const key = keys[0] ?? (await this.#create());
    return `${key.id}.${encryptAesGcm(text, secretOf(key), contextOf(key, purpose)).toString("base64url")}`;
  }

  /**
   * Returns undefined if the text is damaged, has another purpose, or was encrypted with a key that the ring does not
   * have.
   */
  async open(sealed: string, purpose: SealPurpose): Promise<string | undefined> {
    const [id, encrypted, ...rest] = sealed.split(".");
    if (id === undefined || encrypted === undefined || rest.length > 0) return undefined;
    const bytes = Buffer.from(encrypted, "base64url");
    // The decoder ignores invalid characters, so several texts decode to the same bytes. Only one of them is accepted.
    if (bytes.toString("base64url") !== encrypted) return undefined;
    const key = (await this.#storage.read()).keys.find((one) => one.id === id);
    return key && decryptAesGcm(bytes, secretOf(key), contextOf(key, purpose));
  }

  /** Adds a new first key and returns its id. Older texts can still be decrypted. */
  async rotate(): Promise<string> {
    const key = this.#newKey();
    await this.#storage.update(({ keys }) => {
      if (keys.length < MAX_KEYS) return { keys: [key, ...keys] };
      const message = `there are already ${MAX_KEYS} keys; drop an old one with \`plugboard keys drop <id>\` first`;
      throw new HostError("USAGE", { message, omitHelp: true });
    });
    return key.id;
  }

  /** Removes an older key. Texts that it has encrypted can't be decrypted any more. */
  async drop(id: string): Promise<void> {
    await this.#storage.update(({ keys }) => {
      const index = keys.findIndex((key) => key.id === id);
      if (index === -1) throw new HostError("NOT_FOUND", { subject: `key "${id}"` });
      if (index > 0) return { keys: keys.filter((key) => key.id !== id) };
      const message = `the key "${id}" is the one that encrypts; run \`plugboard keys rotate\` first`;
      throw new HostError("USAGE", { message, omitHelp: true });
    });
  }

  async #create(): Promise<StoredKey> {
    const { keys } = await this.#storage.update((current) =>
      current.keys.length > 0 ? current : { keys: [this.#newKey()] },
    );
    return keys[0]!;
  }

  #newKey(): StoredKey {
    const secret = newAesKey().toString("base64");
    return { id: randomBytes(8).toString("hex"), secret, created_at: this.#clock.now() };
  }
}

/** Keeps the keys in memory, until this process ends. */
export function memoryKeyRing(clock: Pick<Clock, "now">): KeyRing {
  let stored: StoredKeys = { keys: [] };
  const storage: KeyStorage = {
    read: async () => stored,
    update: async (change) => (stored = change(stored)),
  };
  return new KeyRing(storage, clock);
}

function secretOf({ secret }: StoredKey): Buffer {
  return Buffer.from(secret, "base64");
}

function contextOf({ id }: StoredKey, { kind, key }: SealPurpose): string {
  return JSON.stringify({ key_id: id, kind, key });
}
