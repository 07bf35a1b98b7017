/** The protocol session with one server. Code above this interface never depends on the era. */
import type {
  Caller,
  Era,
  JsonObject,
  LogEntry,
  LogLevel,
  Progress,
  Root,
  Tool,
  CancelSignal,
} from "@plugboard/contracts";
import type { Ask, AskAnswer } from "./ask.ts";
import type { ElicitationSupport } from "./front-capabilities.ts";
import type { SamplingSupport } from "./identity.ts";
import type { Op, TaskRequest } from "./op.ts";
import type { Outcome } from "./outcome.ts";
import type { ServerInfo } from "./server-info.ts";

export interface Session {
  readonly era: Era;
  readonly version: string;
  readonly serverInfo: ServerInfo;
  /** True if the server keeps a session, which it may forget without a notice. */
  readonly canBeForgotten: boolean;
  /** Says which calls of different callers must not overlap, because the server may ask without naming the call. */
  readonly turns: CallerTurns;
  /** The number of incoming messages that were ignored because they were not valid JSON-RPC. */
  readonly ignoredMessages: number;
  /** True until the timeout of a cancelled request has passed, because the server may still work on it. */
  readonly mayBeBusy: boolean;
  /** Never rejects: a failure is an outcome. */
  request(op: Op, ctx: CallContext): Promise<Outcome>;
  /** Reports changes until it is stopped. Resubscribes by itself when its stream is lost. */
  listen(filter: ChangeFilter, onChange: (change: Change) => void): ChangeSubscription;
  /** Returns why a listed tool cannot be called through this session, or undefined if it can. */
  unusableReason(tool: Tool): string | undefined;
  /** Sets the level of the log entries that belong to no call. Does nothing in the modern era. */
  setLogLevel(level: LogLevel): void;
  /** Notifies the server that the roots have changed, if it knows roots. */
  notifyRootsChanged(): void;
  /**
   * Resolves if the server answers its cheapest request. With `secondTry`, sends a request that every server must
   * answer, for use after an unanswered ping.
   */
  ping(signal: AbortSignal, secondTry?: boolean): Promise<void>;
  close(): Promise<void>;
}

/**
 * Which calls take turns. `never`: none, because each question names its call. `first`: only calls of tools that have
 * not yet succeeded without a question. `always`: all calls, because the server has asked without naming a call.
 */
export type CallerTurns = "never" | "first" | "always";

export interface CallContext {
  readonly caller: Caller;
  /** Identifies the client that the caller belongs to. By default the caller. */
  readonly client?: string | undefined;
  /** False if no question is expected, for example because the tool has run without one before. */
  readonly mayAsk?: boolean | undefined;
  readonly signal?: CancelSignal | undefined;
  /** The timeout without progress. */
  readonly timeoutMs: number;
  /** The timeout of the whole call. */
  readonly maxMs: number;
  /** Whether this caller can be asked questions. True stands for all modes. */
  readonly elicitation: boolean | ElicitationSupport;
  /** Whether this caller's model can be used for sampling. */
  readonly sampling?: SamplingSupport | undefined;
  /** True if this caller answers requests for roots itself. */
  readonly roots?: boolean | undefined;
  /** The settings of extensions that this caller supports, by name. By default those of `ClientFeatures`. */
  readonly extensions?: { readonly [name: string]: JsonObject } | undefined;
  /** True if this caller accepts a task to follow instead of a result. An object asks the server for a task. */
  readonly tasks?: boolean | TaskRequest | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** The lowest level of server logs that this caller wants. */
  readonly logLevel?: LogLevel | undefined;
  /** Called for log entries that belong to this call. */
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
  /** True if a tool call may be sent again, because the user trusts the server's word that the tool is idempotent. */
  readonly retryable?: boolean | undefined;
  /** The `_meta` of this caller's own request, without the keys that belong to one connection. */
  readonly meta?: JsonObject | undefined;
  /** The W3C trace context of this call. */
  readonly trace?: TraceContext | undefined;
  /** Gets the time from the first attempt to the last one, if the request was sent more than once. */
  readonly timing?: { retryMs: number } | undefined;
  /**
   * Called when the server no longer works on the call: it has answered or suspended it, or the call was cancelled.
   * `succeeded` says whether the server has returned a result that is no error.
   */
  readonly onSettled?: ((succeeded?: boolean) => void) | undefined;
}

export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

export interface ChangeFilter {
  readonly tools?: boolean;
  readonly resources?: boolean;
  readonly prompts?: boolean;
  readonly uris?: readonly string[];
  readonly tasks?: readonly string[];
}

export type Change =
  | { readonly type: "tools" | "resources" | "prompts" }
  | { readonly type: "resource"; readonly uri: string }
  | {
      readonly type: "task";
      readonly task: JsonObject;
      /** Returns the caller whose call has begun the task, if the session knows it. */
      readonly begunBy?: (() => Caller | undefined) | undefined;
    };

export interface ChangeSubscription {
  /**
   * Resolves when the server has accepted the subscription. Rejects if the server has rejected it or can't be reached.
   * Even then the subscription stays open, and is sent again in the next session. Undefined if there is nothing to wait
   * for.
   */
  readonly established?: Promise<void>;
  stop(): void;
}

/** A call on a session, as a candidate for the owner of an unattributed request. */
export interface CallInFlight {
  readonly caller: Caller;
  readonly client?: string | undefined;
  readonly mayAsk?: boolean | undefined;
  /** True while a question of the call is open. */
  readonly isAsking?: boolean | undefined;
  readonly op: Op;
  /** False once the call was cancelled, though the server may still work on it. */
  readonly active: boolean;
}

/**
 * Handles a server request that names no call. Returns the answer, or the call in flight that must ask the question.
 * Returns undefined if calls of several callers are in flight and nobody else can answer: the request waits for them.
 * The signal aborts if the server cancels the request.
 */
export type OnUnattributedRequest = (
  ask: Ask,
  inFlight: readonly CallInFlight[],
  signal: AbortSignal,
) => Promise<AskAnswer> | CallInFlight | undefined;

/** The client features that the host offers to one server. */
export interface ClientFeatures {
  /** Returns the folders the server may work in. If absent, the roots capability is not declared. */
  readonly roots?: (() => readonly Root[]) | undefined;
  /** Whether the user lets this server use the model. */
  readonly sampling?: SamplingSupport | undefined;
  /** The settings of extensions that the host supports, by name. */
  readonly extensions?: { readonly [name: string]: JsonObject } | undefined;
  /**
   * Called for log entries whose call is unknown, with the only principal that they can belong to. Entries before the
   * first call have no principal, and are for everyone. Entries that may belong to several principals are not reported.
   */
  readonly onLog?: ((entry: LogEntry, principal: string | undefined) => void) | undefined;
}

/** The callbacks and data that a session gets from the host. */
export interface SessionPorts extends ClientFeatures {
  /** Called for every log entry, also if it belongs to a call. */
  readonly onAnyLog?: ((entry: LogEntry) => void) | undefined;
  /**
   * Called when the server says that it can't ask in the era of this session. Returns true if the next session will
   * have the other era. Absent if the era is fixed.
   */
  readonly onCannotAsk?: (() => boolean) | undefined;
  readonly onUnattributedRequest: OnUnattributedRequest;
  /** Returns whether the server has asked a question without naming its call before. */
  readonly hasAskedWithoutCall?: (() => boolean) | undefined;
  /** Called when the server asks such a question. */
  readonly onAskedWithoutCall?: (() => void) | undefined;
}
