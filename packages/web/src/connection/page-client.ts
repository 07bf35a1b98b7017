/**
 * The page's connection to the host: one channel, one workspace, and the events that feed the store. Connects again
 * when the host was restarted or the computer slept.
 */
import { HostError, isHostError } from "@plugboard/contracts";
import type { HostEvent, Operations, Workspace } from "@plugboard/contracts";
import { connectRemote } from "@plugboard/remote";
import type { RemoteHost } from "@plugboard/remote";
import { messageOf } from "../format/message-of.ts";
import { PAGE_VERSION } from "../format/page-version.ts";
import { applyEvent, changesServers } from "../store/apply-event.ts";
import { journalCalls } from "../store/journal-calls.ts";
import { INITIAL_STATE, withSnapshot, withStatuses } from "../store/page-state.ts";
import type { LinkState, PageState } from "../store/page-state.ts";
import { Store } from "../store/store.ts";
import { ToolTrials } from "../store/tool-trials.ts";
import { browserFetch } from "./browser-fetch.ts";
import { EventBatch } from "./event-batch.ts";
import { LiveResources } from "./live-resources.ts";
import { PacedTask } from "./paced-task.ts";
import { forgetKey, signIn } from "./sign-in.ts";
import { WatchedChats } from "./watched-chats.ts";

export interface Connected {
  readonly host: RemoteHost;
  readonly workspace: Workspace;
  readonly operations: Operations;
}

const RETRY_MS = [500, 1000, 2000, 5000];
const STATUS_DELAY_MS = 150;
const JOURNAL_CALLS = 500;

export class PageClient {
  readonly state = new Store<PageState>(INITIAL_STATE);
  readonly liveResources = new LiveResources(() => this.connected.workspace);
  readonly #eventListeners = new Set<(event: HostEvent) => void>();
  readonly toolTrials = new ToolTrials(
    () => this.connected.workspace,
    (listener) => this.onEvent(listener),
  );
  readonly watchedChats = new WatchedChats({
    chats: () => this.connected.host.chats,
    onEvent: (listener) => this.onEvent(listener),
    hasDraft: (chat) => {
      const { chatDrafts, chatPrompts } = this.state.get();
      return chat in chatDrafts || chat in chatPrompts;
    },
  });
  #connected: Connected | undefined;
  readonly #events = new EventBatch((events) => this.#applyEvents(events));
  /** The last event that the snapshot includes. */
  #includedSeq = 0;
  /** Reads the statuses of the servers after events, which contain only a part of a status. */
  readonly #statuses = new PacedTask({
    // The next event tries again.
    run: () => this.refresh().catch(() => {}),
    delayMs: STATUS_DELAY_MS,
  });

  /** The connection of a live page. Throws HOST_UNREACHABLE otherwise. */
  get connected(): Connected {
    if (this.#connected) return this.#connected;
    throw new HostError("HOST_UNREACHABLE", { reason: "the connection is being opened" });
  }

  /** Calls the listener with each event of the host. Returns a function that ends it. */
  onEvent(listener: (event: HostEvent) => void): () => void {
    this.#eventListeners.add(listener);
    return () => void this.#eventListeners.delete(listener);
  }

  /** Runs until the page is signed out or outdated. */
  async run(): Promise<void> {
    for (let failures = 0; ; failures++) {
      let hostError: string | undefined;
      try {
        const { key, isLinkRefused } = await signIn();
        if (key === undefined) return this.#setLink(isLinkRefused ? "link_refused" : "signed_out");
        await this.#connect(key, () => (failures = 0));
      } catch (error) {
        const code = isHostError(error) ? error.code : undefined;
        if (code === "UNAUTHORIZED") {
          forgetKey();
          return this.#setLink("session_ended");
        }
        if (code === "VERSION_SKEW") return this.#setLink("outdated");
        if (code !== undefined && code !== "HOST_UNREACHABLE") hostError = messageOf(error);
      }
      this.#connected = undefined;
      this.#setLink("lost", hostError);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]));
    }
  }

  /** Reads the statuses of all servers again, after a change that has no event. */
  async refresh(): Promise<void> {
    const servers = await this.connected.workspace.status();
    this.state.update((state) => withStatuses(state, servers));
  }

  /** Reads the config files again after the page has changed one. A change of rules has no event. */
  async reloadConfig(): Promise<void> {
    await this.connected.workspace.config.reload();
    await this.refresh();
    this.state.update((state) => ({
      ...state,
      configRevision: state.configRevision + 1,
      catalogRevision: state.catalogRevision + 1,
    }));
  }

  /** Resolves when the connection ends. */
  async #connect(key: string, onLive: () => void): Promise<void> {
    const host = await connectRemote({
      fetch: browserFetch(key),
      version: PAGE_VERSION,
      kind: "page",
      attended: true,
      watchesInbox: true,
      // Without a folder, the host opens the workspace that it serves.
      workspace: {},
      receivesEvents: true,
    });
    const { workspace } = host.opened!;
    this.#connected = { host, workspace, operations: host.operations };
    await this.#readSnapshot(workspace);
    onLive();
    this.liveResources.onConnected();
    // Starts the servers, because the status of this workspace is complete only then. A server that has reached its
    // restart limit is not restarted. Errors are ignored here: the status shows a server that fails, and a lost
    // connection ends the loop below.
    void workspace.start({ retryFailed: false }).then(
      () => this.#statuses.request(),
      () => {},
    );
    for await (const event of host.events(host.seq)) {
      for (const listener of this.#eventListeners) listener(event);
      this.liveResources.handleEvent(event);
      if (event.type === "events.missed") await this.#readSnapshot(workspace);
      this.#events.add(event);
    }
  }

  #applyEvents(events: readonly HostEvent[]): void {
    // The snapshot includes earlier events.
    const later = events.filter(({ seq }) => seq > this.#includedSeq);
    this.state.update((state) => later.reduce(applyEvent, state));
    if (later.some(changesServers)) this.#statuses.request();
  }

  async #readSnapshot(workspace: Workspace): Promise<void> {
    const [snapshot, entries] = await Promise.all([
      workspace.snapshot(),
      workspace.activity.recent({ limit: JOURNAL_CALLS }),
    ]);
    this.#includedSeq = snapshot.seq;
    this.state.update((state) => withSnapshot(state, snapshot, journalCalls(entries)));
  }

  #setLink(link: LinkState, linkError?: string): void {
    this.state.update((state) => ({ ...state, link, linkError }));
  }
}
