/** The conversation with one server, in either era. Nothing above this interface branches on the era. */
import type {
  Caller,
  Era,
  HostError,
  JsonObject,
  LogEntry,
  LogLevel,
  Progress,
  Root,
  Tool,
} from "@plugboard/contracts";
import type { Ask, AskAnswer } from "./ask.ts";
import type { Op } from "./op.ts";
import type { Outcome } from "./outcome.ts";

export interface Session {
  readonly era: Era;
  readonly version: string;
  readonly serverInfo: ServerInfo;
  /** True once the server has asked something without naming the call: then calls of different callers must not overlap. */
  readonly oneCallerAtATime: boolean;
  /** How much of what came was no message, or broke the rules, and was passed over. */
  readonly ignoredMessages: number;
  /** True while the server may still work on a call that was cancelled before it timed out. */
  readonly mayBeBusy: boolean;
  /** Never rejects: what goes wrong is an outcome. */
  request(op: Op, ctx: CallContext): Promise<Outcome>;
  /** Tells of changes until it is stopped; taken up again by itself when the stream it comes on is lost. */
  listen(filter: ChangeFilter, onChange: (change: Change) => void): ChangeSubscription;
  /** Why a tool that the server offers can't be called through this session; nothing if it can. */
  unusableReason(tool: Tool): string | undefined;
  /** The roots are not what they were: servers that were told of them are told so. */
  notifyRootsChanged(): void;
  /**
   * Resolves if the server answers its cheapest request. With `again`, sends a request that every server answers,
   * because the cheapest one got no answer.
   */
  ping(signal: AbortSignal, secondTry?: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface ServerInfo {
  readonly name?: string;
  readonly serverVersion?: string;
  readonly instructions?: string;
  /** The ids of all hosts reachable through the server. */
  readonly instances?: readonly string[];
  readonly capabilities: ServerCapabilities;
}

/** What a server says that it can do. Only that is asked of it. */
export interface ServerCapabilities {
  readonly tools: boolean;
  readonly resources: boolean;
  readonly prompts: boolean;
  readonly completion: boolean;
  readonly logging: boolean;
  readonly tasks: boolean;
  /** Whether single resources can be watched. */
  readonly subscribe: boolean;
  /** Of which lists it says when they change. */
  readonly listChanged: { readonly tools: boolean; readonly resources: boolean; readonly prompts: boolean };
}

export interface CallContext {
  readonly caller: Caller;
  readonly signal?: AbortSignal | undefined;
  /** Silence allowed, and time allowed in all. */
  readonly timeoutMs: number;
  readonly maxMs: number;
  /** Whether this caller can be asked things. */
  readonly elicitation: boolean;
  /** Whether this caller can be asked for a text of its model's. */
  readonly sampling?: SamplingSupport | undefined;
  /** Whether this caller can be given a task to follow instead of a result. */
  readonly tasks?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** From which level on this caller wants the server's log, where it can be told that it belongs to this call. */
  readonly logLevel?: LogLevel | undefined;
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
  /** Whether a call of a tool may be sent again, because the user trusts the server to know that it changes nothing twice. */
  readonly retryable?: boolean | undefined;
  /** The W3C trace context this call belongs to. */
  readonly trace?: TraceContext | undefined;
  /** Told when the server is no longer at it: it has answered, be it with a question that ends the request, or it was given up. */
  readonly onSettled?: (() => void) | undefined;
}

/** Whether a model is lent, and whether it may be given tools to call. */
export type SamplingSupport = boolean | "with-tools";

export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

/** What to be told of. */
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
  | { readonly type: "task"; readonly task: JsonObject };

export interface ChangeSubscription {
  stop(): void;
}

/** A call on a session, as far as it matters to whom a stray question may belong. */
export interface CallInFlight {
  readonly caller: Caller;
  readonly op: Op;
  /** False once it was given up, though the server may still be at it. */
  readonly active: boolean;
}

/**
 * A question that came outside of any one call; whoever takes it finds out whom to ask. Either it is answered, and
 * the signal fires if it is taken back meanwhile, or one of the calls in flight is named that is to ask it.
 */
export type OnUnattributedRequest = (
  ask: Ask,
  inFlight: readonly CallInFlight[],
  signal: AbortSignal,
) => Promise<AskAnswer> | CallInFlight;

export interface SessionPorts {
  readonly onUnattributedRequest: OnUnattributedRequest;
  readonly onClosed: (error: HostError) => void;
  /** The folders a server may work in. Without it none are declared. */
  readonly roots?: (() => readonly Root[]) | undefined;
  /** Whether the user lets this server use the model. */
  readonly sampling?: SamplingSupport | undefined;
  /** What a server logs that belongs to no call that could be named. */
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
}
