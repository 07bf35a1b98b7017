/**
 * The persistent state of a host: trust, decisions, catalogs, long results and the journal, in the user's state folder.
 * If the folder can't be used, the host emits `state.failed` and continues with its state in memory.
 */
import { join } from "node:path";
import { HostError, isJsonObject, toHostError } from "@plugboard/contracts";
import type { ActivityEntry, ActivityQuery, HostEvent, HostEventData, Env } from "@plugboard/contracts";
import type { CatalogStore, Clock, ConnectionOptions } from "@plugboard/mcp";
import { Journal } from "./activity/journal.ts";
import { checkActivityQuery, readJournal } from "./activity/read-journal.ts";
import { DecisionStore } from "./policy/decision-store.ts";
import type { StoredList } from "./store/stored-list.ts";
import { CatalogFiles } from "./store/catalog-files.ts";
import { OutputFiles } from "./store/output-files.ts";
import type { OutputPage } from "./store/output-files.ts";
import { StateFile } from "./store/state-file.ts";
import { ensureStateFolder, stateFolder } from "./store/state-folder.ts";
import { TrustStore } from "./trust/trust-store.ts";

export interface HostStateOptions {
  readonly env: Env;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly emit: (event: HostEventData) => void;
  /** False keeps the state in memory only. */
  readonly persist: boolean;
}

const LOGIN_FILE = "mcp-auth.json";
const SECRET_FILE = "secrets.json";
const SHARED_FILES = ["trust.json", "decisions.json", LOGIN_FILE];

export class HostState {
  readonly trust: TrustStore;
  readonly decisions: DecisionStore;

  readonly #catalogs: CatalogFiles | undefined;
  readonly #options: HostStateOptions;
  readonly #folder: string | undefined;
  readonly #journal: Journal | undefined;
  readonly #outputs: OutputFiles | undefined;
  readonly #pendingWrites = new Set<Promise<void>>();
  #opened: Promise<void> | undefined;
  /** Set if the folder can't be used, for example because another user owns it. Its files are then not read. */
  #openError: HostError | undefined;

  constructor(options: HostStateOptions) {
    const { env, clock, newId, persist } = options;
    const now = () => clock.now();
    const folder = persist ? stateFolder(env) : undefined;
    this.#options = options;
    this.#folder = folder;
    this.trust = new TrustStore({ stored: this.#list("trust.json"), now });
    this.decisions = new DecisionStore({ stored: this.#list("decisions.json"), newId, now });
    if (folder === undefined) return;
    const onFailed = (error: unknown) => this.#reportFailure(error);
    this.#catalogs = new CatalogFiles(folder, { clock, onFailed });
    this.#outputs = new OutputFiles(folder, { clock });
    this.#journal = new Journal({
      folder: join(folder, "activity"),
      clock,
      pid: process.pid,
      onFailed: ({ message }) => options.emit({ type: "activity.failed", reason: message }),
    });
  }

  /** The files that other processes may change: trust, decisions and logins. */
  get sharedFiles(): readonly string[] {
    return this.#folder === undefined ? [] : SHARED_FILES.map((name) => join(this.#folder!, name));
  }

  /** Undefined if the state is in memory only. */
  get loginFile(): string | undefined {
    return this.#pathOf(LOGIN_FILE);
  }

  /** Undefined if the state is in memory only. */
  get secretFile(): string | undefined {
    return this.#pathOf(SECRET_FILE);
  }

  /** Must be called before any read. Emits `state.failed` instead of throwing. */
  open(): Promise<void> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** Reads trust and decisions again, because another process may have changed them. */
  async reload(): Promise<void> {
    for (const read of [() => this.trust.reload(), () => this.decisions.reload()]) {
      try {
        await read();
      } catch (error) {
        // Without the file, no server is trusted and no decision applies.
        this.#reportFailure(error);
      }
    }
  }

  record(event: HostEvent): void {
    if (!this.#openError) this.#journal?.record(event);
  }

  /** Returns the store of a server's catalog, or undefined if the state is in memory only. */
  catalog(key: string): CatalogStore | undefined {
    return this.#openError ? undefined : this.#catalogs?.catalog(key);
  }

  /** Returns the store of the era that a server last used, or undefined if the state is in memory only. */
  era(key: string): ConnectionOptions["eraStore"] | undefined {
    return this.#openError ? undefined : this.#catalogs?.era(key);
  }

  async recent(query: ActivityQuery = {}): Promise<ActivityEntry[]> {
    checkActivityQuery(query);
    if (this.#folder === undefined || this.#openError) return [];
    await this.#journal?.flush();
    return readJournal(join(this.#folder, "activity"), query);
  }

  async storeOutput(text: string): Promise<string> {
    return this.#outputFiles().save(text);
  }

  async readOutput(id: string, range: { readonly offset: number; readonly limit: number }): Promise<OutputPage> {
    return this.#outputFiles().read(id, range);
  }

  /** Waits for pending writes. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#pendingWrites);
    await Promise.all([this.#journal?.close(), this.#catalogs?.flush()]);
  }

  async #open(): Promise<void> {
    if (this.#folder === undefined) return;
    try {
      await ensureStateFolder(this.#options.env);
    } catch (error) {
      this.#openError = toHostError(error);
      this.#reportFailure(error);
      return;
    }
    await this.reload();
  }

  #pathOf(name: string): string | undefined {
    return this.#folder === undefined || this.#openError ? undefined : join(this.#folder, name);
  }

  #outputFiles(): OutputFiles {
    if (this.#openError) throw this.#openError;
    if (this.#outputs) return this.#outputs;
    throw new HostError("STORE_UNWRITABLE", { file: "outputs", reason: "this host stores nothing on disk" });
  }

  #list<Entry>(name: string): StoredList<Entry> {
    const list = openList<Entry>(this.#folder, name);
    return {
      load: async () => (this.#openError ? [] : list.load()),
      update: (change) => {
        if (this.#openError) return Promise.reject(this.#openError);
        const written = list.update(change).finally(() => this.#pendingWrites.delete(written));
        this.#pendingWrites.add(written);
        return written;
      },
    };
  }

  #reportFailure(error: unknown): void {
    this.#options.emit({ type: "state.failed", error: toHostError(error).toJSON() });
  }
}

/** Opens a list that is stored in a file. Without a folder, the list is kept in memory. */
function openList<Entry>(folder: string | undefined, name: string): StoredList<Entry> {
  if (folder === undefined) {
    let entries: Entry[] = [];
    return { load: async () => entries, update: async (change) => void (entries = change(entries)) };
  }
  const file = new StateFile<{ readonly entries: readonly Entry[] }>(join(folder, name), {
    initial: { entries: [] },
    parse: (data) => (isEntries<Entry>(data["entries"]) ? { entries: data["entries"] } : undefined),
  });
  return {
    load: async () => [...(await file.read()).entries],
    update: async (change) => void (await file.update(({ entries }) => ({ entries: change([...entries]) }))),
  };
}

/** Checks only that the entries are objects. The owner of the list validates them. */
function isEntries<Entry>(value: unknown): value is Entry[] {
  return Array.isArray(value) && value.every((entry) => isJsonObject(entry));
}
