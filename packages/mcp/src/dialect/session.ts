/** The conversation with one server, in either era. Nothing above this interface branches on the era. */
import type { Caller, Era, HostError, Progress } from "@plugboard/contracts";
import type { Ask, AskAnswer } from "./ask.ts";
import type { Op } from "./op.ts";
import type { Outcome } from "./outcome.ts";

export interface Session {
  readonly era: Era;
  readonly version: string;
  readonly facts: ServerFacts;
  /** True once the server has asked something without naming the call: then calls of different callers must not overlap. */
  readonly needsTurns: boolean;
  /** Never rejects: what goes wrong is an outcome. */
  request(op: Op, ctx: CallContext): Promise<Outcome>;
  listen(on: (change: Change) => void): Listening;
  /** Resolves if the server answers; what it costs is its own cheapest request. */
  alive(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface ServerFacts {
  readonly name?: string;
  readonly serverVersion?: string;
  readonly instructions?: string;
  readonly offersTools: boolean;
  readonly toolsChange: boolean;
}

export interface CallContext {
  readonly caller: Caller;
  readonly signal?: AbortSignal | undefined;
  /** Silence allowed, and time allowed in all. */
  readonly timeoutMs: number;
  readonly maxMs: number;
  /** Whether this caller can be asked things. */
  readonly elicitation: boolean;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Told when the server is no longer at it: it has answered, be it with a question that ends the request, or it was given up. */
  readonly onSettled?: (() => void) | undefined;
}

export type Change = "tools";

export interface Listening {
  stop(): void;
}

/** A call on a session, as far as it matters to whom a stray question may belong. */
export interface InFlight {
  readonly caller: Caller;
  readonly op: Op;
  /** False once it was given up, though the server may still be at it. */
  readonly live: boolean;
}

/**
 * A question that came outside of any one call; whoever takes it finds out whom to ask. Either it is answered, and
 * the signal fires if it is taken back meanwhile, or one of the calls in flight is named that is to ask it.
 */
export type OnStrayAsk = (
  ask: Ask,
  inFlight: readonly InFlight[],
  signal: AbortSignal,
) => Promise<AskAnswer> | InFlight;

export interface SessionPorts {
  readonly onStrayAsk: OnStrayAsk;
  readonly onClosed: (error: HostError) => void;
}
