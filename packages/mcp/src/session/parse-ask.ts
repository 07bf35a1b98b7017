/** Reads what a server asks, in the words that both eras share, and writes the answer. */
import type { JsonObject, PeerError } from "@plugboard/contracts";
import { parseElicitation } from "../wire/parse-elicitation.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../wire/rpc-error-codes.ts";
import type { Ask, AskAnswer } from "./ask.ts";
import type { SamplingSupport } from "./session.ts";

/** The ask, or what to tell a server that asked for something never declared or not readable. */
export function parseAsk(method: string, params: JsonObject, sampling: SamplingSupport): Ask | PeerError {
  if (method === "sampling/createMessage" && sampling) {
    const toolsAllowed =
      sampling === "with-tools" || (params["tools"] === undefined && params["toolChoice"] === undefined);
    if (!toolsAllowed) return { code: INVALID_PARAMS, message: "the model can't be given tools" };
    if (Array.isArray(params["messages"])) return { type: "sampling", rawParams: params };
    return { code: INVALID_PARAMS, message: '"messages" is missing' };
  }
  if (method !== "elicitation/create") return { code: METHOD_NOT_FOUND, message: `${method} is not supported` };
  const elicitation = parseElicitation(params);
  if ("invalid" in elicitation) return { code: INVALID_PARAMS, message: elicitation.invalid };
  return { type: "elicitation", elicitation, rawParams: params };
}

/** What a server is told whose wish for the model is not granted. */
const SAMPLING_REJECTED = { error: { code: -1, message: "User rejected sampling request" } };

/** The result for the server, or the refusal of what can't be answered with less. Only an accepted form carries content. */
export function toAskResponse(ask: Ask, answer: AskAnswer): { result: JsonObject } | { error: PeerError } {
  if (ask.type === "sampling") return answer.action === "sampled" ? { result: answer.result } : SAMPLING_REJECTED;
  if (answer.action !== "accept") return { result: { action: answer.action === "decline" ? "decline" : "cancel" } };
  return { result: { action: "accept", ...(answer.content && { content: { ...answer.content } }) } };
}

export function askMethod(ask: Ask): "elicitation/create" | "sampling/createMessage" {
  return ask.type === "sampling" ? "sampling/createMessage" : "elicitation/create";
}
