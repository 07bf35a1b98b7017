/** One request of a client, as the parts of the handler get it. */
import { compoundKey } from "@plugboard/contracts";
import type { Caller, LogEntry, Progress } from "@plugboard/contracts";
import type { CallerContext } from "@plugboard/host/internal";
import { NO_EXTENSIONS } from "@plugboard/mcp";
import type { FrontContext, Resumed } from "@plugboard/mcp";
import type { FrontSink } from "../parking/suspended-calls.ts";

export interface FrontRequest {
  readonly caller: Caller;
  readonly ctx: FrontContext;
  readonly sink: FrontSink;
  /** Set if the request continues a call that was suspended. */
  readonly resumed?: Resumed | undefined;
}

export function frontSink({ onProgress, onLog }: FrontContext): FrontSink {
  return { onProgress, onLog };
}

/** The permission that a call has by the client's own prompt, and the rules that apply to it. */
type CallPermission = Pick<CallerContext, "impliesPermission" | "approvesByForm" | "policy">;

const NO_PERMISSION: CallPermission = { impliesPermission: false };

/** Returns the context of the request to a server. Declares to the server what the client itself declares. */
export function serverContext(
  server: string,
  { caller, ctx, sink }: FrontRequest,
  { impliesPermission, approvesByForm, policy }: CallPermission = NO_PERMISSION,
): CallerContext {
  const { session, clientName, signal, elicitation, sampling, roots, listRoots, meta, logLevel } = ctx;
  // A client that declares no extension has none, whatever the host supports.
  const { extensions = NO_EXTENSIONS } = ctx;
  return {
    caller,
    session,
    // Modern HTTP requests have no session, so their clients differ only by token and name.
    client:
      caller.principal === undefined || clientName === undefined ? session.id : compoundKey(session.id, clientName),
    signal,
    elicitation,
    sampling,
    listRoots,
    onProgress: (progress: Progress) => sink.onProgress?.(progress),
    forwarded: {
      meta,
      roots,
      extensions,
      logLevel,
      onLog: logLevel === undefined ? undefined : (entry) => sink.onLog?.(namedEntry(server, entry)),
    },
    impliesPermission,
    approvesByForm,
    policy,
  };
}

/** Names the server in a log entry, because a client sees the entries of all servers. */
export function namedEntry(server: string, entry: LogEntry): LogEntry {
  return { ...entry, logger: entry.logger === undefined ? server : `${server}:${entry.logger}` };
}
