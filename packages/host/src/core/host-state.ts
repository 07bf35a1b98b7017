/**
 * The files that a host writes while it works: catalogs, long results, logs and
 * the journal, in the user's state folder.
 */
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { ActivityEntry, ActivityQuery, HostEvent, HostEventData, Clock, Redactor } from "@plugboard/contracts";
import type { CatalogStore, ConnectionOptions } from "@plugboard/mcp";
import { CallStatsStore } from "../activity/call-stats-store.ts";
import { Journal } from "../activity/journal.ts";
import { JOURNAL_FOLDER } from "../activity/journal-files.ts";
import { checkActivityQuery, readJournal } from "../activity/read-journal.ts";
import { serverLogFolder } from "../activity/server-log-file.ts";
import { ServerLogs } from "../activity/server-logs.ts";
import type { SharedState } from "./shared-state.ts";
import { CatalogFiles } from "../catalog/catalog-files.ts";
import { OutputFiles } from "@plugboard/store";
import type { OutputPage } from "@plugboard/store";

export interface HostStateOptions {
  readonly shared: SharedState;
  readonly clock: Clock;
  readonly emit: (event: HostEventData) => void;
}

export class HostState {
  readonly callStats: CallStatsStore;
  readonly #shared: SharedState;
  readonly #clock: Clock;
  readonly #catalogs: CatalogFiles | undefined;
  readonly #journal: Journal | undefined;
  readonly #serverLogs: ServerLogs | undefined;
  #outputs: OutputFiles | undefined;

  constructor({ shared, clock, emit }: HostStateOptions) {
    const { folder } = shared;
    this.#shared = shared;
    this.#clock = clock;
    const onFailed = (error: unknown) => shared.reportFailure(error);
    const file = () => (folder === undefined || shared.openError ? undefined : join(folder, "call-stats.json"));
    this.callStats = new CallStatsStore({ file, clock, onFailed });
    if (folder === undefined) return;
    this.#catalogs = new CatalogFiles(folder, { clock, onFailed });
    this.#serverLogs = new ServerLogs({ folder: serverLogFolder(folder), clock, onFailed });
    this.#journal = new Journal({
      folder: join(folder, JOURNAL_FOLDER),
      clock,
      pid: process.pid,
      onFailed: ({ message }) => emit({ type: "activity.failed", reason: message }),
    });
  }

  record(event: HostEvent): void {
    if (event.type === "call.ended") this.callStats.record(event);
    if (!this.#shared.openError) this.#journal?.record(event);
  }

  /** Returns the store of a server's catalog, or undefined if the state is in memory only. */
  catalog(key: string, definition: string | undefined): CatalogStore | undefined {
    return this.#shared.openError ? undefined : this.#catalogs?.catalog(key, definition);
  }

  /** Returns the store of the era that a server last used, or undefined if the state is in memory only. */
  era(key: string): ConnectionOptions["eraStore"] | undefined {
    return this.#shared.openError ? undefined : this.#catalogs?.era(key);
  }

  /** Returns the function that records the output of a server, or undefined if the state is in memory only. */
  outputRecorder(server: string, redactor: Redactor | undefined): ConnectionOptions["onOutput"] {
    return this.#shared.openError ? undefined : this.#serverLogs?.recorder(server, redactor);
  }

  async recent(query: ActivityQuery = {}): Promise<ActivityEntry[]> {
    checkActivityQuery(query);
    const { folder, openError } = this.#shared;
    if (folder === undefined || openError) return [];
    await this.#journal?.flush();
    return readJournal(join(folder, JOURNAL_FOLDER), query);
  }

  async storeOutput(text: string): Promise<string> {
    return this.#outputFiles().save(text);
  }

  async readOutput(id: string, range: { readonly offset: number; readonly limit: number }): Promise<OutputPage> {
    return this.#outputFiles().read(id, range);
  }

  async deleteExpiredOutputs(): Promise<void> {
    const { folder, openError } = this.#shared;
    if (folder !== undefined && !openError) await this.#outputFiles().deleteExpired();
  }

  /** Writes all pending changes, except the numbers of calls, which `close` may leave to another process. */
  async flush(): Promise<void> {
    await Promise.all([this.#journal?.flush(), this.#catalogs?.flush(), this.#serverLogs?.flush()]);
  }

  /** Waits for pending writes. */
  async close(): Promise<void> {
    await this.#shared.close();
    const closeCalls = async () => {
      await this.#journal?.close();
      await this.callStats.close(this.#journal?.completeFile);
    };
    await Promise.all([closeCalls(), this.#catalogs?.flush(), this.#serverLogs?.close()]);
  }

  #outputFiles(): OutputFiles {
    const { folder, openError } = this.#shared;
    if (openError) throw openError;
    if (folder === undefined)
      throw new HostError("STORE_UNWRITABLE", { file: "outputs", reason: "this host stores nothing on disk" });
    return (this.#outputs ??= new OutputFiles(folder, { clock: this.#clock }));
  }
}
