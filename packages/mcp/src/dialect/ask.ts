import type { Elicitation, ElicitationAnswer, JsonObject } from "@plugboard/contracts";

/** Something the server wants from the user before it goes on. */
export interface Ask {
  readonly type: "elicitation";
  readonly elicitation: Elicitation;
  /** The params as they came, for whoever passes the question on. */
  readonly raw: JsonObject;
  /** Fires when the server takes this one question back, though others may stay. */
  readonly withdrawn?: AbortSignal;
}

/** The answer to an ask, under the ask's key. */
export type AskAnswer = ElicitationAnswer;
