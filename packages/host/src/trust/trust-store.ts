/**
 * Which definitions that came with a project the user has agreed to. Consent
 * is to one definition, by its hash, under one id in one folder; anything else
 * has to be asked for again. Only says so: what is not trusted must be left
 * alone by whoever reads the config.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject, ConfigSource } from "@plugboard/contracts";
import { StoredListCache } from "../store/stored-list.ts";
import type { StoredList } from "../store/stored-list.ts";

export interface TrustEntry {
  readonly source: ConfigSource;
  /** The project's, as a real path. */
  readonly folder: string;
  readonly id: string;
  /** The hash of the definition. */
  readonly hash: string;
}

export interface TrustedServer extends TrustEntry {
  readonly at: number;
  /** As it was written when it was trusted: what a change is compared with. */
  readonly definition: JsonObject;
}

export interface TrustStoreOptions {
  readonly stored: StoredList<TrustedServer>;
  readonly now: () => number;
}

/** What the user, the administrator or the command line says needs no consent of the user. */
const ALWAYS_TRUSTED: { readonly [S in ConfigSource]: boolean } = {
  managed: true,
  user: true,
  invocation: true,
  claudeai: true,
  project: false,
  local: false,
};

export class TrustStore {
  readonly #stored: StoredListCache<TrustedServer>;
  readonly #now: () => number;
  /** What could not be stored, and holds for as long as the host does. */
  #unstored: readonly TrustedServer[] = [];

  constructor({ stored, now }: TrustStoreOptions) {
    this.#stored = new StoredListCache(stored, isTrustedServer);
    this.#now = now;
  }

  /** Before the first question, and whenever what is stored was changed by somebody else. */
  reload(): Promise<void> {
    return this.#stored.reload();
  }

  isTrusted(entry: TrustEntry): boolean {
    return ALWAYS_TRUSTED[entry.source] || this.#entriesFor(entry).some(({ hash }) => hash === entry.hash);
  }

  /** The definition that was trusted last under that id in that folder. */
  lastTrustedDefinition(entry: TrustScope): JsonObject | undefined {
    return this.#entriesFor(entry).at(-1)?.definition;
  }

  /** Replaces what was trusted there before: if that comes back, it is asked for again. Holds also where it can't be stored, which rejects. */
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

  async revoke(entry: TrustScope): Promise<void> {
    this.#unstored = this.#unstored.filter((other) => !isSameScope(other, entry));
    await this.#stored.update((all) => all.filter((other) => !isSameScope(other, entry)));
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
