/** Reads what a server asks, in the words that both eras share, and writes the answer. */
import type { JsonObject, PeerError } from "@plugboard/contracts";
import { readElicitation } from "../wire/read-elicitation.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../wire/rpc-codes.ts";
import type { Ask, AskAnswer } from "./ask.ts";
import type { Lending } from "./session.ts";

/** The ask, or what to tell a server that asked for something never declared or not readable. */
export function readAsk(method: string, params: JsonObject, sampling: Lending): Ask | PeerError {
  if (method === "sampling/createMessage" && sampling) {
    const asTold = sampling === "with-tools" || (params["tools"] === undefined && params["toolChoice"] === undefined);
    if (!asTold) return { code: INVALID_PARAMS, message: "the model can't be given tools" };
    if (Array.isArray(params["messages"])) return { type: "sampling", raw: params };
    return { code: INVALID_PARAMS, message: '"messages" is missing' };
  }
  if (method !== "elicitation/create") return { code: METHOD_NOT_FOUND, message: `${method} is not supported` };
  const elicitation = readElicitation(params);
  if ("invalid" in elicitation) return { code: INVALID_PARAMS, message: elicitation.invalid };
  return { type: "elicitation", elicitation, raw: params };
}

/** What a server is told whose wish for the model is not granted. */
const REJECTED = { error: { code: -1, message: "User rejected sampling request" } };

/** The result for the server, or the refusal of what can't be answered with less. Only an accepted form carries content. */
export function writeAnswer(ask: Ask, answer: AskAnswer): { result: JsonObject } | { error: PeerError } {
  if (ask.type === "sampling") return answer.action === "sampled" ? { result: answer.result } : REJECTED;
  if (answer.action !== "accept") return { result: { action: answer.action === "decline" ? "decline" : "cancel" } };
  return { result: { action: "accept", ...(answer.content && { content: { ...answer.content } }) } };
}

export function askMethod(ask: Ask): "elicitation/create" | "sampling/createMessage" {
  return ask.type === "sampling" ? "sampling/createMessage" : "elicitation/create";
}
