import type { Elicitation, ElicitationAnswer, JsonObject } from "@plugboard/contracts";

/** Something the server wants from the user, or from the user's model, before it goes on. */
export type Ask = ElicitationAsk | SamplingAsk;

interface AskBase {
  /** The params as they came, for whoever passes the question on. */
  readonly rawParams: JsonObject;
  /** Fires when the server takes this one question back, though others may stay. */
  readonly withdrawn?: AbortSignal;
}

interface ElicitationAsk extends AskBase {
  readonly type: "elicitation";
  readonly elicitation: Elicitation;
}

interface SamplingAsk extends AskBase {
  readonly type: "sampling";
}

/** The answer to an ask, under the ask's key. Only what was sampled answers a wish for sampling; all else refuses it. */
export type AskAnswer = ElicitationAnswer | SamplingAnswer;

interface SamplingAnswer {
  readonly action: "sampled";
  /** A `CreateMessageResult`. */
  readonly result: JsonObject;
}

export const NO_ANSWER: AskAnswer = { action: "cancel" };
