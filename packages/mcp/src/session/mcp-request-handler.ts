/**
 * Answers the requests of a gateway client: the counterpart of a session. Both server dialects call this interface, so
 * its implementation does not depend on the client's era.
 */
import type { Caller, JsonObject, LogEntry, LogLevel, Progress, Root, CancelSignal } from "@plugboard/contracts";
import type { AskAnswers } from "./ask.ts";
import type { FrontCapabilities } from "./front-capabilities.ts";
import type { Identity } from "./identity.ts";
import type { Op } from "./op.ts";
import type { Outcome, Suspended } from "./outcome.ts";
import type { Revision } from "./revisions.ts";
import type { ServerCapabilities } from "./server-info.ts";
import type { Change, ChangeFilter, ChangeSubscription } from "./session.ts";

export interface McpRequestHandler {
  readonly identity: Identity;
  readonly instructions?: string | undefined;
  /** Resolves when the capabilities and instructions are known. Awaited before they are sent to a client. */
  ready?(): Promise<void>;
  /** Returns the ids of other hosts that the offered tools come from. A client uses them to detect a loop of hosts. */
  hostIds?(): readonly string[];
  /** Called when a request or a notification stream of a client begins. Returns a function to call when it ends. */
  onRequest?(caller: Caller, client: FrontClient): () => void;
  /** Returns the capabilities that are offered to this client. */
  capabilities(caller: Caller): ServerCapabilities;
  /** Returns the schema of a tool as this client sees it, or undefined if there is no such tool. */
  inputSchema?(tool: string, caller: Caller): JsonObject | undefined;
  /** Never rejects: a failure is an outcome. */
  request(op: Op, caller: Caller, ctx: FrontContext): Promise<Outcome>;
  /** Stores a suspended call until the client answers in a later request. Returns the `requestState` for the client. */
  storeSuspended(suspended: Suspended, op: Op, session: Caller): Promise<string>;
  /**
   * Resumes a stored call. The outcome is a failure if the state belongs to another session or request. Never rejects.
   */
  resume(state: string | undefined, answers: AskAnswers, op: Op, caller: Caller, ctx: FrontContext): Promise<Outcome>;
  listen(filter: ChangeFilter, caller: Caller, onChange: (change: Change) => void): ChangeSubscription;
  /** Reports log entries of this level and above that belong to no call, until it is stopped. */
  listenLogs?(level: LogLevel, caller: Caller, onLog: (entry: LogEntry) => void): ChangeSubscription;
}

/** The protocol revision and the version of a client. Its name is a part of the caller. */
export interface FrontClient {
  readonly revision: Revision;
  /** The version that the client gives itself. It is not authenticated. */
  readonly version?: string | undefined;
}

export interface FrontContext extends FrontCapabilities {
  /**
   * The session or connection of the client. For modern HTTP there is one per token, but each request has its own
   * caller. The principal of the session has the rights of this request's own token.
   */
  readonly session: Caller;
  /** The name that the client gives itself in a request without a session. It is not authenticated. */
  readonly clientName?: string | undefined;
  readonly signal: CancelSignal;
  /**
   * Asks the client for its roots. Resolves to undefined if it does not answer. Absent if the client has no roots, or
   * can't be asked while its request runs.
   */
  readonly listRoots?: (() => Promise<readonly Root[] | undefined>) | undefined;
  /** The revision of the client, which says what it understands. */
  readonly revision: Revision;
  /** The `_meta` of the request, without the keys that belong to the connection with this client. */
  readonly meta?: JsonObject | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly logLevel?: LogLevel | undefined;
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
}
