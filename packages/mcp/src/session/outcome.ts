/**
 * How a request towards a server ends. That the server wants something from
 * the user first is an outcome too: a value that can be kept, passed on and
 * resumed, so that no layer above has to know in which era it was asked.
 */
import type { HostError, JsonObject } from "@plugboard/contracts";
import type { Ask, AskAnswer } from "./ask.ts";

export type Outcome =
  | { readonly type: "complete"; readonly result: JsonObject }
  | { readonly type: "failed"; readonly error: HostError }
  | TaskOutcome
  | Suspended;

export interface Suspended {
  readonly type: "asks";
  readonly asks: { readonly [key: string]: Ask };
  /** Present when the server keeps nothing for the call: what it needs to go on, to be handed back byte for byte; and by what the host knows the call. */
  readonly portable?: { readonly requestState?: string; readonly round: number; readonly call?: string };
  /** Fires when the answers are not wanted any more: the call has ended meanwhile, or the server took its question back. `resume` then tells what came. */
  readonly obsolete: AbortSignal;
  /** Once. The time of the call goes on from here. */
  resume(answers: { readonly [key: string]: AskAnswer }, ctx: ResumeContext): Promise<Outcome>;
  /** Gives the call up: the server is told in its era's way. */
  abandon(reason: string): void;
}

/** The server goes on with it as a task, which can be followed now, later, or after a restart. */
export interface TaskOutcome {
  readonly type: "task";
  /** As the server described it, with its `taskId`. */
  readonly task: JsonObject;
  /** Polls until it has ended or asks something. */
  follow(ctx: ResumeContext): Promise<Outcome>;
  /** Asks the server to stop; it need not. */
  cancel(): Promise<void>;
}

export interface ResumeContext {
  readonly signal?: AbortSignal | undefined;
}
