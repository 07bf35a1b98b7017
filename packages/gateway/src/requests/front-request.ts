/** One request of a client, and its conversion into a tool call or into the context of another request to a server. */
import { compoundKey, mayApprove, toAbortSignal } from "@plugboard/contracts";
import type { Caller, JsonObject, LogEntry, Progress } from "@plugboard/contracts";
import { Call } from "@plugboard/host/forwarding";
import type { Policy, RequestContext, ToolKey } from "@plugboard/host/forwarding";
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

/** Returns the context of a request to a server. Declares to the server what the client itself declares. */
export function serverContext(server: string, request: FrontRequest): RequestContext {
  const { caller, ctx, sink } = request;
  const { session, signal, elicitation, sampling, roots, listRoots, meta, logLevel } = ctx;
  return {
    ...{ caller, session, client: clientOf(request), signal: toAbortSignal(signal), elicitation, sampling, listRoots },
    onProgress: (progress: Progress) => sink.onProgress?.(progress),
    forwarded: { meta, roots, extensions: ctx.extensions ?? NO_EXTENSIONS, logLevel, onLog: logSink(server, request) },
  };
}

/** Creates the call of a server's tool. Declares to the server what the client itself declares. */
export function frontCall(key: ToolKey, args: JsonObject, request: FrontRequest, policy: () => Policy): Call {
  const { caller, ctx, sink } = request;
  const call = new Call(key, args, caller);
  call.impliesPermission = mayApprove(caller);
  call.approvesByForm = call.impliesPermission && ctx.elicitation.form;
  call.answersLater = !ctx.revision.hasSessions;
  call.callerPolicy = policy;
  call.session = ctx.session;
  call.client = clientOf(request);
  call.signal = ctx.signal;
  call.clientElicitation = ctx.elicitation;
  call.clientSampling = ctx.sampling;
  call.listRoots = ctx.listRoots;
  call.onProgress = (progress) => sink.onProgress?.(progress);
  call.meta = ctx.meta;
  call.roots = ctx.roots;
  call.extensions = ctx.extensions ?? NO_EXTENSIONS;
  if (typeof ctx.tasks === "object") call.tasks = ctx.tasks;
  call.logLevel = ctx.logLevel;
  call.onLog = logSink(key.server, request);
  call.resumed = request.resumed;
  return call;
}

/** Returns a key of the client. Modern HTTP requests of one token share a session id, so the client's name is added. */
function clientOf({ caller, ctx: { session, clientName } }: FrontRequest): string {
  return caller.principal === undefined || clientName === undefined ? session.id : compoundKey(session.id, clientName);
}

function logSink(server: string, { ctx, sink }: FrontRequest): ((entry: LogEntry) => void) | undefined {
  return ctx.logLevel === undefined ? undefined : (entry) => sink.onLog?.(namedEntry(server, entry));
}

/** Names the server in a log entry, because a client sees the entries of all servers. */
export function namedEntry(server: string, entry: LogEntry): LogEntry {
  return { ...entry, logger: entry.logger === undefined ? server : `${server}:${entry.logger}` };
}
