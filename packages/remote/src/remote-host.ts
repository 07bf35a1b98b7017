/** Implements `HostApi` and `HostControl` for a host in another process. The given `fetch` sends the requests. */
import { buildHostControl, controlPaths, HostError, packArguments } from "@plugboard/contracts";
import type {
  CallerKind,
  CallerOptions,
  ChannelOpened,
  HostApi,
  HostControl,
  HostEvent,
  WorkspaceSpec,
} from "@plugboard/contracts";
import type { FetchLike } from "./fetch-like.ts";
import { ControlClient } from "./control-client.ts";
import { remoteWorkspace } from "./remote-workspace.ts";

export interface RemoteOptions extends CallerOptions {
  readonly fetch: FetchLike;
  /** The client's version. `connectRemote` throws VERSION_SKEW if the host has another one. */
  readonly version: string;
  /** Also connects to a host of another version, which accepts only the methods of `control`. */
  readonly acceptsAnyVersion?: boolean;
  readonly kind: CallerKind;
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
  /** Resolves when the host stops or `close` is called, and with an error if the connection is lost. Never rejects. */
  readonly ended: Promise<HostError | undefined>;
}

const CONNECT_TIMEOUT_MS = 5000;

export async function connectRemote(options: RemoteOptions): Promise<RemoteHost> {
  const {
    fetch,
    version,
    kind,
    attended = false,
    watchesInbox = false,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
  } = options;
  const client = new ControlClient(fetch, version);
  const closing = new AbortController();
  const stream = client.requestEvents("POST", controlPaths.channels, { kind, attended, watchesInbox }, closing.signal);
  const first = await withTimeout(connectTimeoutMs, stream.next(), () => closing.abort());
  if (first.done) throw new HostError("HOST_UNREACHABLE", { reason: "it does not respond" });
  const { channel, caller, seq, ...host } = first.value as ChannelOpened;
  if (host.version !== version && !options.acceptsAnyVersion) {
    closing.abort();
    throw new HostError("VERSION_SKEW", { host: host.version, client: version });
  }
  // Reading keeps the channel open. If the channel ends, the next request fails.
  const ended = drain(stream);
  const close = async () => closing.abort();

  return {
    caller,
    channel,
    seq,
    version: host.version,
    build: host.build,
    ended,
    control: buildHostControl((path) => async (...args) => {
      const result = await client.requestJson("POST", controlPaths.host(channel, path), packArguments(path, args).sent);
      return result ?? undefined;
    }),
    async workspace(spec: WorkspaceSpec) {
      const { workspace } = (await client.requestJson("POST", controlPaths.workspaces(channel), spec)) as {
        workspace: string;
      };
      return remoteWorkspace(client, channel, workspace);
    },
    async *events(after, signal) {
      const ended = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      yield* client.requestEvents(
        "GET",
        controlPaths.events(channel, after),
        undefined,
        ended,
      ) as AsyncGenerator<HostEvent>;
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

/** Reads a stream to its end and ignores its events. Returns the error if the stream breaks off. */
async function drain(stream: AsyncGenerator): Promise<HostError | undefined> {
  try {
    for await (const _ of stream);
    return undefined;
  } catch (error) {
    return error as HostError;
  }
}
