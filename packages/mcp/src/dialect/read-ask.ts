/** Reads what a server asks, in the words that both eras share, and writes the answer. */
import type { JsonObject, PeerError } from "@plugboard/contracts";
import { readElicitation } from "../wire/read-elicitation.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../wire/rpc-codes.ts";
import type { Ask, AskAnswer } from "./ask.ts";

/** The ask, or what to tell a server that asked for something never declared or not readable. */
export function readAsk(method: string, params: JsonObject): Ask | PeerError {
  if (method !== "elicitation/create") return { code: METHOD_NOT_FOUND, message: `${method} is not supported` };
  const elicitation = readElicitation(params);
  if ("invalid" in elicitation) return { code: INVALID_PARAMS, message: elicitation.invalid };
  return { type: "elicitation", elicitation, raw: params };
}

/** Only an accepted form carries content. */
export function writeAnswer(answer: AskAnswer): JsonObject {
  if (answer.action !== "accept" || !answer.content) return { action: answer.action };
  return { action: "accept", content: { ...answer.content } };
}
