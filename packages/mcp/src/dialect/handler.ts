/**
 * What answers a front: the mirror image of a session. Both server dialects are
 * written against it, so whoever implements it never learns in which era it was asked.
 */
import type { Caller, Progress } from "@plugboard/contracts";
import type { AskAnswer } from "./ask.ts";
import type { Identity } from "./identity.ts";
import type { Op } from "./op.ts";
import type { Outcome, Suspended } from "./outcome.ts";
import type { Change, Listening } from "./session.ts";

export interface Handler {
  readonly identity: Identity;
  readonly instructions?: string | undefined;
  /** Never rejects: what goes wrong is an outcome. */
  request(op: Op, caller: Caller, ctx: FrontContext): Promise<Outcome>;
  /** For a front that is let go between the question and its answer: keeps the call, and gives what the front hands back. */
  keep(asked: Suspended, op: Op, principal: Caller): string;
  /** Takes up a kept call. Never rejects; a state that was not given to this principal for this request is refused. */
  resume(state: string | undefined, answers: Answers, op: Op, caller: Caller, ctx: FrontContext): Promise<Outcome>;
  listen(caller: Caller, on: (change: Change) => void): Listening;
}

export type Answers = { readonly [key: string]: AskAnswer };

export interface FrontContext {
  /** Whose token or connection it is. Several clients may share one; each of their calls has a caller of its own. */
  readonly principal: Caller;
  readonly signal: AbortSignal;
  /** Which kinds of question this front can be asked. */
  readonly elicitation: ElicitationSupport;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface ElicitationSupport {
  readonly form: boolean;
  readonly url: boolean;
}
