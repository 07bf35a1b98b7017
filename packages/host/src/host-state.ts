/**
 * What a host keeps for the next time, in the user's state folder: consents,
 * decisions, what servers offered, long results, the journal. Where that can't
 * be kept, the host works all the same, and says so.
 */
import { join } from "node:path";
import { HostError, isJsonObject, toHostError } from "@plugboard/contracts";
import type { ActivityEntry, ActivityQuery, HostEvent, HostFact } from "@plugboard/contracts";
import type { CatalogStore, Clock, ConnectionOptions } from "@plugboard/mcp";
import { Journal } from "./activity/journal.ts";
import { checkQuery, readJournal } from "./activity/read-journal.ts";
import { Decisions } from "./policy/decisions.ts";
import type { StoredList } from "./policy/stored-list.ts";
import { CatalogFiles } from "./store/catalog-files.ts";
import { OutputFiles } from "./store/output-files.ts";
import type { OutputPage } from "./store/output-files.ts";
import { StateFile } from "./store/state-file.ts";
import { ensureStateFolder, stateFolder } from "./store/state-folder.ts";
import { Trust } from "./trust/trust.ts";

export interface HostStateOptions {
  readonly env: { readonly [name: string]: string | undefined };
  readonly clock: Clock;
  readonly newId: () => string;
  readonly state: (fact: HostFact) => void;
  /** Whether anything is written to disk, or read from there. */
  readonly keeps: boolean;
}

const LOGINS = "mcp-auth.json";
const SHARED = ["trust.json", "decisions.json", LOGINS];

export class HostState {
  readonly trust: Trust;
  readonly decisions: Decisions;

  readonly #catalogs: CatalogFiles | undefined;
  readonly #options: HostStateOptions;
  readonly #folder: string | undefined;
  readonly #journal: Journal | undefined;
  readonly #outputs: OutputFiles | undefined;
  readonly #writing = new Set<Promise<void>>();
  #opened: Promise<void> | undefined;
  /** Why the folder is not to be used: it may be somebody else's, and what lies in it their word. */
  #refusal: HostError | undefined;

  constructor(options: HostStateOptions) {
    const { env, clock, newId, keeps } = options;
    const now = () => clock.now();
    const folder = keeps ? stateFolder(env) : undefined;
    this.#options = options;
    this.#folder = folder;
    this.trust = new Trust({ stored: this.#list("trust.json"), now });
    this.decisions = new Decisions({ stored: this.#list("decisions.json"), newId, now });
    if (folder === undefined) return;
    const onFailed = (error: unknown) => this.#failed(error);
    this.#catalogs = new CatalogFiles(folder, { clock, onFailed });
    this.#outputs = new OutputFiles(folder, { clock });
    this.#journal = new Journal({
      folder: join(folder, "activity"),
      clock,
      pid: process.pid,
      onFailed: ({ message }) => options.state({ type: "activity.failed", reason: message }),
    });
  }

  /** The files that others may change: what was agreed to, what was decided, the logins. */
  get files(): readonly string[] {
    return this.#folder === undefined ? [] : SHARED.map((name) => join(this.#folder!, name));
  }

  /** Nothing where nothing is kept. */
  get loginFile(): string | undefined {
    return this.#folder === undefined || this.#refusal ? undefined : join(this.#folder, LOGINS);
  }

  /** Before anything is read from it. What fails is told, not thrown. */
  open(): Promise<void> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** Reads again what others may have changed. */
  async reload(): Promise<void> {
    for (const read of [() => this.trust.reload(), () => this.decisions.reload()]) {
      try {
        await read();
      } catch (error) {
        // Nothing counts as agreed to or decided that can't be read.
        this.#failed(error);
      }
    }
  }

  note(event: HostEvent): void {
    if (!this.#refusal) this.#journal?.note(event);
  }

  /** Nothing where nothing is kept. */
  catalog(key: string): CatalogStore | undefined {
    return this.#refusal ? undefined : this.#catalogs?.catalog(key);
  }

  era(of: string): ConnectionOptions["eras"] | undefined {
    return this.#refusal ? undefined : this.#catalogs?.era(of);
  }

  async recent(query: ActivityQuery = {}): Promise<ActivityEntry[]> {
    checkQuery(query);
    if (this.#folder === undefined || this.#refusal) return [];
    await this.#journal?.flush();
    return readJournal(join(this.#folder, "activity"), query);
  }

  async keepOutput(text: string): Promise<string> {
    return this.#kept().keep(text);
  }

  async readOutput(id: string, range: { readonly offset: number; readonly limit: number }): Promise<OutputPage> {
    return this.#kept().read(id, range);
  }

  /** What is being written is written first. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writing);
    await Promise.all([this.#journal?.close(), this.#catalogs?.flush()]);
  }

  async #open(): Promise<void> {
    if (this.#folder === undefined) return;
    try {
      await ensureStateFolder(this.#options.env);
    } catch (error) {
      this.#refusal = toHostError(error);
      this.#failed(error);
      return;
    }
    await this.reload();
  }

  #kept(): OutputFiles {
    if (this.#refusal) throw this.#refusal;
    if (this.#outputs) return this.#outputs;
    throw new HostError("STORE_UNWRITABLE", { file: "outputs", reason: "this host keeps nothing" });
  }

  #list<Entry>(name: string): StoredList<Entry> {
    const list = listIn<Entry>(this.#folder, name);
    return {
      load: async () => (this.#refusal ? [] : list.load()),
      update: (change) => {
        if (this.#refusal) return Promise.reject(this.#refusal);
        const written = list.update(change).finally(() => this.#writing.delete(written));
        this.#writing.add(written);
        return written;
      },
    };
  }

  #failed(error: unknown): void {
    this.#options.state({ type: "state.failed", error: toHostError(error).toJSON() });
  }
}

/** In memory, if there is no folder. */
function listIn<Entry>(folder: string | undefined, name: string): StoredList<Entry> {
  if (folder === undefined) {
    let all: Entry[] = [];
    return { load: async () => all, update: async (change) => void (all = change(all)) };
  }
  const file = new StateFile<{ readonly entries: readonly Entry[] }>(join(folder, name), {
    initial: { entries: [] },
    read: (data) => (isEntries<Entry>(data["entries"]) ? { entries: data["entries"] } : undefined),
  });
  return {
    load: async () => [...(await file.read()).entries],
    update: async (change) => void (await file.update(({ entries }) => ({ entries: change([...entries]) }))),
  };
}

/** What each of them is, whoever owns the list finds out. */
function isEntries<Entry>(value: unknown): value is Entry[] {
  return Array.isArray(value) && value.every((one) => isJsonObject(one));
}
