/** A question of a server, and the answer to it. */
import type { Elicitation, ElicitationAnswer, JsonObject } from "@plugboard/contracts";

/** A server's request to the user (elicitation), to the user's model (sampling) or for the client's folders (roots). */
export type Ask = ElicitationAsk | SamplingAsk | RootsAsk;

interface AskBase {
  /** The unchanged params, for forwarding the request to a client. */
  readonly rawParams: JsonObject;
  /** Aborts when the server cancels this question. Other questions of the call may stay open. */
  readonly withdrawn?: AbortSignal;
}

interface ElicitationAsk extends AskBase {
  readonly type: "elicitation";
  readonly elicitation: Elicitation;
  /** Aborts when the server reports that the user has completed the visit of a URL. Only legacy servers report it. */
  readonly visited?: AbortSignal;
}

interface SamplingAsk extends AskBase {
  readonly type: "sampling";
}

/** Asked only if a client of the gateway has roots of its own. */
interface RootsAsk extends AskBase {
  readonly type: "roots";
}

/** A sampling request is rejected by any answer other than `sampled`. */
export type AskAnswer = ElicitationAnswer | SamplingAnswer | SamplingUnsupported | RootsAnswer;

interface SamplingAnswer {
  readonly action: "sampled";
  /** A `CreateMessageResult`. */
  readonly result: JsonObject;
}

/** Nobody was asked, because the client of the call has no sampling. */
interface SamplingUnsupported {
  readonly action: "unsupported";
}

interface RootsAnswer {
  readonly action: "listed";
  /** A `ListRootsResult`. */
  readonly result: JsonObject;
}

/** The answers to several questions, by the keys of the questions. */
export type AskAnswers = { readonly [key: string]: AskAnswer };

export const NO_ANSWER: AskAnswer = { action: "cancel" };
export const SAMPLING_UNSUPPORTED: AskAnswer = { action: "unsupported" };
