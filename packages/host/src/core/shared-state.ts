/**
 * The state that all hosts of a user share: trust and decisions, in the user's state folder. If the folder can't be
 * used, the host emits `state.failed` and continues with its state in memory.
 */
import { join } from "node:path";
import { isJsonObject, toHostError } from "@plugboard/contracts";
import type { Env, HostError, HostEventData, Clock } from "@plugboard/contracts";
import { DecisionStore } from "../policy/decision-store.ts";
import { StateFile, ensureStateFolder, stateFolder } from "@plugboard/store";
import type { StoredList } from "@plugboard/store";
import { TrustStore } from "../trust/trust-store.ts";

export interface SharedStateOptions {
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

export class SharedState {
  readonly trust: TrustStore;
  readonly decisions: DecisionStore;
  /** Undefined if the state is in memory only. */
  readonly folder: string | undefined;

  readonly #options: SharedStateOptions;
  readonly #pendingWrites = new Set<Promise<void>>();
  #opened: Promise<void> | undefined;
  #openError: HostError | undefined;

  constructor(options: SharedStateOptions) {
    const { env, clock, newId, emit, persist } = options;
    const now = () => clock.now();
    this.#options = options;
    this.folder = persist ? stateFolder(env) : undefined;
    this.trust = new TrustStore({ stored: this.#list("trust.json"), now });
    this.decisions = new DecisionStore({
      stored: this.#list("decisions.json"),
      newId,
      now,
      onDropped: ({ server, tool }) => emit({ type: "decision.dropped", server, tool }),
      onLapsed: ({ server, tool }) => emit({ type: "decision.lapsed", server, tool }),
    });
  }

  /** Set if the folder can't be used, for example because another user owns it. Its files are then not read. */
  get openError(): HostError | undefined {
    return this.#openError;
  }

  /** The files that other processes may change: trust, decisions and logins. */
  get sharedFiles(): readonly string[] {
    return this.folder === undefined ? [] : SHARED_FILES.map((name) => join(this.folder!, name));
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

  /** Reads trust and decisions again, because another process may have changed them. Does nothing before `open`. */
  async reload(): Promise<void> {
    if (!this.#opened) return;
    await this.#opened;
    await this.#read();
  }

  reportFailure(error: unknown): void {
    this.#options.emit({ type: "state.failed", error: toHostError(error).toJSON() });
  }

  /** Waits for pending writes. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#pendingWrites);
  }

  async #open(): Promise<void> {
    if (this.folder === undefined) return;
    try {
      await ensureStateFolder(this.#options.env);
    } catch (error) {
      this.#openError = toHostError(error);
      this.reportFailure(error);
      return;
    }
    await this.#read();
  }

  async #read(): Promise<void> {
    const reading = [this.trust.reload(), this.decisions.reload()];
    // Without the file, no server is trusted and no decision applies.
    await Promise.all(reading.map((read) => read.catch((error: unknown) => this.reportFailure(error))));
  }

  #pathOf(name: string): string | undefined {
    return this.folder === undefined || this.#openError ? undefined : join(this.folder, name);
  }

  #list<Entry>(name: string): StoredList<Entry> {
    const list = openList<Entry>(this.folder, name);
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
