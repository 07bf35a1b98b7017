/** `HostApi` of a host that runs elsewhere. Nothing here knows how the bytes travel. */
import { controlPaths, HostError } from "@plugboard/contracts";
import type { CallerKind, ChannelOpened, HostApi, HostEvent, WorkspaceSpec } from "@plugboard/contracts";
import type { FetchLike } from "./fetch-like.ts";
import { ControlClient } from "./control-client.ts";
import { remoteWorkspace } from "./remote-workspace.ts";

export interface RemoteOptions {
  readonly fetch: FetchLike;
  /** Must be the host's own; a host of another version is refused. */
  readonly version: string;
  readonly kind: CallerKind;
  /** Whether somebody is here who answers this caller's questions. */
  readonly attended?: boolean;
  /** Time within which the host must start to answer. */
  readonly connectTimeoutMs?: number;
}

export interface RemoteHost extends HostApi {
  readonly channel: string;
}

const CONNECT_TIMEOUT_MS = 5000;

export async function connectRemote(options: RemoteOptions): Promise<RemoteHost> {
  const { fetch, version, kind, attended = false, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const client = new ControlClient(fetch, version);
  const closing = new AbortController();
  const stream = client.requestEvents("POST", controlPaths.channels, { kind, attended }, closing.signal);
  const first = await withTimeout(connectTimeoutMs, stream.next(), () => closing.abort());
  if (first.done) throw new HostError("HOST_UNREACHABLE", { reason: "it does not answer" });
  const { channel, caller } = first.value as ChannelOpened;
  // The channel is held open by reading on; its end is seen by whatever is asked next.
  void drain(stream);

  return {
    caller,
    channel,
    async workspace(spec: WorkspaceSpec) {
      const { workspace } = (await client.requestJson("POST", controlPaths.workspaces(channel), spec)) as {
        workspace: string;
      };
      return remoteWorkspace(client, channel, workspace);
    },
    async *events(after, signal) {
      const until = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      yield* client.requestEvents(
        "GET",
        controlPaths.events(channel, after),
        undefined,
        until,
      ) as AsyncGenerator<HostEvent>;
    },
    async close() {
      closing.abort();
      await Promise.resolve();
    },
  };
}

async function withTimeout<T>(afterMs: number, work: Promise<T>, onTimeout: () => void): Promise<T> {
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
    onTimeout();
    throw error;
  } finally {
    stopTimer();
  }
}

async function drain(stream: AsyncGenerator): Promise<void> {
  try {
    for await (const _ of stream);
  } catch {
    // Closed by us, or the host is gone.
  }
}
