/** The conversation with one server, in either era. Nothing above this interface branches on the era. */
import type { Caller, Era, HostError, Progress } from "@plugboard/contracts";
import type { Ask, AskAnswer } from "./ask.ts";
import type { Op } from "./op.ts";
import type { Outcome } from "./outcome.ts";

export interface Session {
  readonly era: Era;
  readonly version: string;
  readonly facts: ServerFacts;
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
}

export type Change = "tools";

export interface Listening {
  stop(): void;
}

/** A call on a session, as far as it matters to whom a stray question may belong. */
export interface InFlight {
  readonly caller: Caller;
  readonly op: Op;
}

/** A question that came outside of any one call; whoever takes it finds out whom to ask. Fires the signal when it is taken back. */
export type OnStrayAsk = (ask: Ask, inFlight: readonly InFlight[], signal: AbortSignal) => Promise<AskAnswer>;

export interface SessionPorts {
  readonly onStrayAsk: OnStrayAsk;
  readonly onClosed: (error: HostError) => void;
}
