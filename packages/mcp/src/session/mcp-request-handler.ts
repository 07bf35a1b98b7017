/**
 * What answers a front: the mirror image of a session. Both server dialects are
 * written against it, so whoever implements it never learns in which era it was asked.
 */
import type { Caller, LogEntry, LogLevel, Progress } from "@plugboard/contracts";
import type { AskAnswer } from "./ask.ts";
import type { Identity } from "./identity.ts";
import type { Op } from "./op.ts";
import type { Outcome, Suspended } from "./outcome.ts";
import type { Change, ChangeFilter, ChangeSubscription, ServerCapabilities } from "./session.ts";

export interface McpRequestHandler {
  readonly identity: Identity;
  readonly instructions?: string | undefined;
  /** Returns the ids of the hosts behind the offered tools, without this host's own. */
  instances?(): readonly string[];
  /** What that front may ask for. */
  capabilities(caller: Caller): ServerCapabilities;
  /** Never rejects: what goes wrong is an outcome. */
  request(op: Op, caller: Caller, ctx: FrontContext): Promise<Outcome>;
  /** For a front that is let go between the question and its answer: keeps the call, and gives what the front hands back. */
  storeSuspended(suspended: Suspended, op: Op, principal: Caller): string;
  /** Takes up a kept call. Never rejects; a state that was not given to this principal for this request is refused. */
  resume(state: string | undefined, answers: AskAnswers, op: Op, caller: Caller, ctx: FrontContext): Promise<Outcome>;
  listen(filter: ChangeFilter, caller: Caller, onChange: (change: Change) => void): ChangeSubscription;
}

export type AskAnswers = { readonly [key: string]: AskAnswer };

export interface FrontContext {
  /** Whose token or connection it is. Several clients may share one; each of their calls has a caller of its own. */
  readonly principal: Caller;
  readonly signal: AbortSignal;
  /** Which kinds of question this front can be asked. */
  readonly elicitation: ElicitationSupport;
  readonly sampling: boolean;
  /** Whether it can follow a task. */
  readonly tasks: boolean;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly logLevel?: LogLevel | undefined;
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
}

export interface ElicitationSupport {
  readonly form: boolean;
  readonly url: boolean;
}
