/** Implements `HostApi` and `HostControl` for a host in another process. The given `fetch` sends the requests. */
import {
  buildApi,
  CHAT_METHODS,
  controlPaths,
  HOST_METHODS,
  HostError,
  OPERATION_METHODS,
  packArguments,
} from "@plugboard/contracts";
import type {
  ChannelOpened,
  ChannelRequest,
  Chats,
  ChatSpec,
  ConfigProblem,
  HostApi,
  HostControl,
  HostEvent,
  MethodPath,
  Operations,
  WorkspaceOpened,
  WorkspaceSpec,
} from "@plugboard/contracts";
import { AsyncQueue } from "./http/async-queue.ts";
import type { FetchLike } from "./http/fetch-like.ts";
import { ControlClient } from "./control-client.ts";
import { remoteWorkspace } from "./remote-workspace.ts";
import type { RemoteWorkspace } from "./remote-workspace.ts";

export interface RemoteOptions extends Omit<ChannelRequest, "events"> {
  readonly fetch: FetchLike;
  /** The client's version. `connectRemote` throws VERSION_SKEW if the host has another one. */
  readonly version: string;
  /** Also connects to a host of another version, which accepts only the methods of `control`. */
  readonly acceptsAnyVersion?: boolean;
  /** Receives the events on the stream of the channel, which saves a request. They wait for a call of `events(seq)`. */
  readonly receivesEvents?: boolean;
  /** The time limit for the first response of the host. */
  readonly connectTimeoutMs?: number;
}

export interface RemoteHost extends HostApi {
  readonly channel: string;
  /** The sequence number of the host's latest event when the channel was opened. */
  readonly seq: number;
  readonly version: string;
  /** Identifies the files that the host runs. Absent in a program's own host. */
  readonly build: string | undefined;
  readonly control: HostControl;
  readonly operations: Operations;
  readonly chats: RemoteChats;
  /** The workspace of the options. */
  readonly opened: OpenedWorkspace | undefined;
  openWorkspace(spec: WorkspaceSpec): Promise<OpenedWorkspace>;
  /** Resolves when the host stops or `close` is called, and with an error if the connection is lost. Never rejects. */
  readonly ended: Promise<HostError | undefined>;
}

interface RemoteChats extends Chats {
  /** Without a folder, the chat uses the one that the host serves. */
  create(spec: Partial<ChatSpec>): ReturnType<Chats["create"]>;
}

export interface OpenedWorkspace {
  readonly workspace: RemoteWorkspace;
  /** The problems of its config. */
  readonly problems: readonly ConfigProblem[];
  /** The environment variables that its definitions refer to. */
  readonly variables: readonly string[];
}

const CONNECT_TIMEOUT_MS = 5000;

export async function connectRemote(options: RemoteOptions): Promise<RemoteHost> {
  const {
    fetch,
    version,
    kind,
    attended = false,
    watchesInbox = false,
    workspace,
    operationsIn,
    receivesEvents = false,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
  } = options;
  const client = new ControlClient(fetch, version);
  const closing = new AbortController();
  const channelRequest: ChannelRequest = {
    kind,
    attended,
    watchesInbox,
    workspace,
    operationsIn,
    events: receivesEvents,
  };
  const stream = client.requestEvents("POST", controlPaths.channels, channelRequest, closing.signal);
  const first = await withTimeout(connectTimeoutMs, stream.next(), () => closing.abort());
  if (first.done) throw new HostError("HOST_UNREACHABLE", { reason: "it does not respond" });
  const { channel, caller, seq, opened, ...host } = first.value as ChannelOpened;
  if (host.version !== version && !options.acceptsAnyVersion) {
    closing.abort();
    throw new HostError("VERSION_SKEW", { host: host.version, client: version });
  }
  // Reading keeps the channel open. If the channel ends, the next request fails.
  let received = receivesEvents ? new AsyncQueue<HostEvent>() : undefined;
  const ended = drain(stream, received);
  const close = async () => closing.abort();

  /** The host had sent the events up to this one before the latest result. They may arrive later than the result. */
  let sentSeq = 0;
  const onSent = (seq: number) => void (sentSeq = Math.max(sentSeq, seq));

  const toOpened = ({ workspace, ...rest }: WorkspaceOpened): OpenedWorkspace => ({
    workspace: remoteWorkspace(client, channel, workspace, onSent),
    ...rest,
  });
  const openWorkspace = async (spec: WorkspaceSpec) =>
    toOpened((await client.requestJson("POST", controlPaths.workspaces(channel), spec)) as WorkspaceOpened);
  const methodAt =
    (urlOf: (channel: string, path: string) => string) =>
    (path: MethodPath) =>
    async (...args: readonly unknown[]) => {
      const { sent, local } = packArguments(path, args);
      return (await client.requestJson("POST", urlOf(channel, path), sent, local.signal)) ?? undefined;
    };

  const openEvents = (after: number | undefined, stopped: AbortSignal): AsyncIterable<HostEvent> => {
    if (!received || after !== seq) {
      const path = controlPaths.events(channel, after);
      return client.requestEvents("GET", path, undefined, stopped) as AsyncGenerator<HostEvent>;
    }
    const events = received;
    received = undefined;
    stopped.addEventListener("abort", () => events.end(), { once: true });
    return events;
  };

  return {
    caller,
    channel,
    seq,
    version: host.version,
    build: host.build,
    opened: opened && toOpened(opened),
    openWorkspace,
    ended,
    control: buildApi(HOST_METHODS, methodAt(controlPaths.host)).host,
    ...buildApi(OPERATION_METHODS, methodAt(controlPaths.operations)),
    ...buildApi(CHAT_METHODS, methodAt(controlPaths.chats)),
    chatWorkspace: async (chat) => {
      const opened = await client.requestJson("POST", controlPaths.chatWorkspace(channel, chat));
      return toOpened(opened as WorkspaceOpened).workspace;
    },
    workspace: async (spec) => (await openWorkspace(spec)).workspace,
    async *events(after, signal) {
      const stopped = new AbortController();
      let lastSeq = after ?? Infinity;
      // The events before a result belong to it, so a reader that stops after the result still gets them.
      const stopIfComplete = () => {
        if (signal?.aborted && lastSeq >= sentSeq) stopped.abort();
      };
      const events = openEvents(after, AbortSignal.any([stopped.signal, closing.signal]));
      signal?.addEventListener("abort", stopIfComplete, { once: true });
      stopIfComplete();
      for await (const event of events) {
        lastSeq = event.seq;
        stopIfComplete();
        yield event;
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Waits for a request. Aborts the request if it fails or if the time is over. */
async function withTimeout<T>(afterMs: number, work: Promise<T>, abort: () => void): Promise<T> {
  let stopTimer = () => {};
  const timeout = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new HostError("HOST_NOT_RESPONDING", { afterMs })), afterMs);
    stopTimer = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([work, timeout]);
  } catch (error) {
    // The aborted request fails later, when no caller waits for it.
    work.catch(() => {});
    abort();
    throw error;
  } finally {
    stopTimer();
  }
}

/** Reads a stream to its end. Returns the error if the stream breaks off. */
async function drain(stream: AsyncGenerator, queue: AsyncQueue<HostEvent> | undefined): Promise<HostError | undefined> {
  let error: HostError | undefined;
  try {
    for await (const event of stream) queue?.push(event as HostEvent);
  } catch (thrown) {
    error = thrown as HostError;
  }
  queue?.end(error);
  return error;
}
