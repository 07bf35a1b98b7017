import type { Elicitation, ElicitationAnswer, JsonObject } from "@plugboard/contracts";

/** Something the server wants from the user, or from the user's model, before it goes on. */
export type Ask = ElicitationAsk | SamplingAsk;

interface Asked {
  /** The params as they came, for whoever passes the question on. */
  readonly raw: JsonObject;
  /** Fires when the server takes this one question back, though others may stay. */
  readonly withdrawn?: AbortSignal;
}

interface ElicitationAsk extends Asked {
  readonly type: "elicitation";
  readonly elicitation: Elicitation;
}

interface SamplingAsk extends Asked {
  readonly type: "sampling";
}

/** The answer to an ask, under the ask's key. Only what was sampled answers a wish for sampling; all else refuses it. */
export type AskAnswer = ElicitationAnswer | Sampled;

interface Sampled {
  readonly action: "sampled";
  /** A `CreateMessageResult`. */
  readonly result: JsonObject;
}

export const NO_ANSWER: AskAnswer = { action: "cancel" };
