/** What the page knows about the host. Pure: `apply-event.ts` changes it, `page-client.ts` feeds it. */
import { serverMs } from "@plugboard/contracts";
import type { CallEntry, ChatInput, HostEvent, Question, ServerStatus, Snapshot } from "@plugboard/contracts";

/** `signed_out`: this browser has no session. `link_refused` and `session_ended` say why. */
export type SignedOutState = "signed_out" | "link_refused" | "session_ended";

/**
 * `lost`: the host does not answer, and the page tries again. `outdated`: the host has another version than the page.
 */
export type LinkState = "connecting" | SignedOutState | "live" | "lost" | "outdated";

export interface PageState {
  readonly link: LinkState;
  /** The host's error, if it answered the page with one instead of a connection. */
  readonly linkError?: string | undefined;
  /** False until the page knows what the host has. Views would look empty before. */
  readonly hasSnapshot: boolean;
  readonly servers: readonly ServerStatus[];
  readonly questions: readonly Question[];
  /** The latest calls, newest first. */
  readonly calls: readonly ShownCall[];
  /** Increases when a call has ended. */
  readonly callRevision: number;
  /** The latencies of the latest calls of each server, oldest first. */
  readonly latencies: { readonly [server: string]: readonly number[] };
  /** Events that matter to the owner, such as a config file that can't be read. Newest first. */
  readonly notices: readonly Notice[];
  /** Increases when tools, resources or prompts may have changed. */
  readonly catalogRevision: number;
  /** Increases for a server when it reports that its own tools, resources or prompts have changed. */
  readonly contentRevisions: { readonly [server: string]: number };
  /** Increases when config files may have changed. */
  readonly configRevision: number;
  /** The prompt that begins the next message of a chat, by the id of the chat. */
  readonly chatPrompts: { readonly [chat: string]: AttachedPrompt };
  /** The text of the next message that is not sent yet, by the id of the chat. Never empty. */
  readonly chatDrafts: { readonly [chat: string]: string };
  /** Increases when a call was allowed for longer than once, or such a decision was revoked. */
  readonly decisionRevision: number;
}

export type AttachedPrompt = NonNullable<ChatInput["prompt"]>;

export interface ShownCall extends Omit<CallEntry, "type" | "at" | "outcome" | "code" | "durationMs"> {
  /** The start of the call. */
  readonly at: number;
  /** What a person or a rule decided on it, such as `once` or `deny`. Absent if a rule allows it. */
  readonly decision?: string;
  /** `running` until the call has ended. */
  readonly outcome: "running" | "complete" | "failed";
  readonly code?: string;
  readonly durationMs?: number;
}

interface Notice {
  readonly seq: number;
  readonly at: number;
  readonly event: HostEvent;
}

export const MAX_CALLS = 1000;
export const MAX_LATENCIES = 40;

export const INITIAL_STATE: PageState = {
  link: "connecting",
  hasSnapshot: false,
  servers: [],
  questions: [],
  calls: [],
  callRevision: 0,
  latencies: {},
  notices: [],
  catalogRevision: 0,
  contentRevisions: {},
  configRevision: 0,
  chatPrompts: {},
  chatDrafts: {},
  decisionRevision: 0,
};

/** Returns the state after a snapshot was read. `calls`: those of the journal, newest first. */
export function withSnapshot(state: PageState, snapshot: Snapshot, calls: readonly ShownCall[]): PageState {
  const latencies: { [server: string]: number[] } = {};
  for (const call of calls.toReversed()) {
    const latency = serverMs(call);
    if (latency !== undefined) (latencies[call.server] ??= []).push(latency);
  }
  for (const server of Object.keys(latencies)) latencies[server] = latencies[server]!.slice(-MAX_LATENCIES);
  return {
    ...state,
    link: "live",
    linkError: undefined,
    hasSnapshot: true,
    servers: snapshot.servers,
    questions: snapshot.questions,
    calls: calls.slice(0, MAX_CALLS),
    callRevision: state.callRevision + 1,
    latencies,
    catalogRevision: state.catalogRevision + 1,
    configRevision: state.configRevision + 1,
    decisionRevision: state.decisionRevision + 1,
  };
}

/** Keeps the object of each server whose status is the same, so that only changed servers are drawn again. */
export function withStatuses(state: PageState, servers: readonly ServerStatus[]): PageState {
  const known = new Map(state.servers.map((server) => [server.id, server]));
  const merged = servers.map((server) => {
    const old = known.get(server.id);
    return old && isSameJson(old, server) ? old : server;
  });
  const isSame = merged.length === state.servers.length && merged.every((server, at) => server === state.servers[at]);
  return isSame ? state : withServers(state, merged);
}

/**
 * Replaces the servers. If other servers are ready than before, the tools may have changed: a server offers its tools
 * only while it is ready, and a list that is the same as before has no event of its own.
 */
export function withServers(state: PageState, servers: readonly ServerStatus[]): PageState {
  const changesTools = readyIds(state.servers) !== readyIds(servers);
  return { ...state, servers, ...(changesTools && { catalogRevision: state.catalogRevision + 1 }) };
}

function readyIds(servers: readonly ServerStatus[]): string {
  return JSON.stringify(servers.filter(({ state }) => state === "ready").map(({ id }) => id));
}

function isSameJson(a: ServerStatus, b: ServerStatus): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
