/**
 * Stores the user's approvals of server definitions in projects. An approval applies to one definition
 * hash, under one id, in one folder. The store only answers whether a definition is trusted. The
 * config reader must skip untrusted definitions.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject, ConfigSource } from "@plugboard/contracts";
import { StoredListCache } from "@plugboard/store";
import type { StoredList } from "@plugboard/store";

export interface TrustEntry {
  readonly source: ConfigSource;
  /** The real path of the project folder. */
  readonly folder: string;
  readonly id: string;
  /** The hash of the definition. */
  readonly hash: string;
}

export interface TrustedServer extends TrustEntry {
  readonly at: number;
  /** The definition as it was written when it was trusted. Changes are shown as a difference from it. */
  readonly definition: JsonObject;
}

export interface TrustStoreOptions {
  readonly stored: StoredList<TrustedServer>;
  readonly now: () => number;
}

/** Definitions from the user, the administrator or the command line need no approval. */
const ALWAYS_TRUSTED: { readonly [S in ConfigSource]: boolean } = {
  managed: true,
  user: true,
  invocation: true,
  project: false,
  local: false,
};

export class TrustStore {
  readonly #stored: StoredListCache<TrustedServer>;
  readonly #now: () => number;
  /** Approvals that could not be stored. They apply until the host stops. */
  #unstored: readonly TrustedServer[] = [];

  constructor({ stored, now }: TrustStoreOptions) {
    this.#stored = new StoredListCache(stored, isTrustedServer);
    this.#now = now;
  }

  /** Reads the stored approvals. Must be called before the first `isTrusted`, and when another process changed them. */
  reload(): Promise<void> {
    return this.#stored.reload();
  }

  isTrusted(entry: TrustEntry): boolean {
    return ALWAYS_TRUSTED[entry.source] || this.#entriesFor(entry).some(({ hash }) => hash === entry.hash);
  }

  /** Returns the definition that was last trusted under this id in this folder. */
  lastTrustedDefinition(entry: TrustScope): JsonObject | undefined {
    return this.#entriesFor(entry).at(-1)?.definition;
  }

  /**
   * Replaces the earlier approval under the same id. Rejects if the approval can't be stored. It then still applies
   * until the host stops.
   */
  async grant({ source, folder, id, hash }: TrustEntry, definition: JsonObject): Promise<void> {
    const granted = { source, folder, id, hash, at: this.#now(), definition };
    const withoutReplaced = (all: readonly TrustedServer[]) =>
      all.filter((other) => !isSameScope(other, granted) || other.source !== source);
    this.#unstored = withoutReplaced(this.#unstored);
    try {
      await this.#stored.update((all) => [...withoutReplaced(all), granted]);
    } catch (error) {
      this.#unstored = [...this.#unstored, granted];
      throw error;
    }
  }

  /** Returns false if there was no approval. */
  async revoke(entry: TrustScope): Promise<boolean> {
    const existed = this.#entriesFor(entry).length > 0;
    this.#unstored = this.#unstored.filter((other) => !isSameScope(other, entry));
    await this.#stored.update((all) => all.filter((other) => !isSameScope(other, entry)));
    return existed;
  }

  list(): TrustedServer[] {
    return [...this.#stored.all, ...this.#unstored];
  }

  #entriesFor(entry: TrustScope): TrustedServer[] {
    return this.list().filter((one) => isSameScope(one, entry));
  }
}

type TrustScope = Pick<TrustEntry, "folder" | "id">;

function isSameScope(one: TrustScope, other: TrustScope): boolean {
  return one.folder === other.folder && one.id === other.id;
}

function isTrustedServer(value: unknown): value is TrustedServer {
  if (!isJsonObject(value) || !isJsonObject(value["definition"])) return false;
  return ["source", "folder", "id", "hash"].every((name) => typeof value[name] === "string");
}
