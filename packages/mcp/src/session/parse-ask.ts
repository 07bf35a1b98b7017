/** Parses and writes the questions of servers and their answers, in the format that both eras share. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, PeerError } from "@plugboard/contracts";
import { parseElicitation } from "../wire/parse-elicitation.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../wire/rpc-error-codes.ts";
import { NO_ANSWER } from "./ask.ts";
import type { Ask, AskAnswer } from "./ask.ts";
import type { SamplingSupport } from "./identity.ts";

/** Returns a `PeerError` for the server if the request was not declared as supported or is malformed. */
export function parseAsk(
  method: string,
  params: JsonObject,
  { sampling, roots = false }: { readonly sampling: SamplingSupport; readonly roots?: boolean },
): Ask | PeerError {
  if (method === "roots/list" && roots) return { type: "roots", rawParams: params };
  if (method === "sampling/createMessage" && sampling) {
    if (wantsTools(params) && sampling !== "with-tools")
      return { code: INVALID_PARAMS, message: "the model can't be given tools" };
    if (Array.isArray(params["messages"])) return { type: "sampling", rawParams: params };
    return { code: INVALID_PARAMS, message: '"messages" is missing' };
  }
  if (method !== "elicitation/create") return { code: METHOD_NOT_FOUND, message: `${method} is not supported` };
  const elicitation = parseElicitation(params);
  if ("invalid" in elicitation) return { code: INVALID_PARAMS, message: elicitation.invalid };
  return { type: "elicitation", elicitation, rawParams: params };
}

const SAMPLING_REJECTED = { error: { code: -1, message: "User rejected sampling request" } };

/** Returns the response to the server. Only sampling can be rejected with an error; only an accepted form has content. */
export function toAskResponse(ask: Ask, answer: AskAnswer): { result: JsonObject } | { error: PeerError } {
  if (ask.type === "sampling") {
    if (answer.action === "sampled") return { result: answer.result };
    return answer.action === "unsupported" ? { error: samplingUnsupported(ask.rawParams) } : SAMPLING_REJECTED;
  }
  if (ask.type === "roots") return { result: answer.action === "listed" ? answer.result : { roots: [] } };
  if (answer.action !== "accept") return { result: { action: answer.action === "decline" ? "decline" : "cancel" } };
  return { result: { action: "accept", ...(answer.content && { content: { ...answer.content } }) } };
}

function samplingUnsupported(params: JsonObject): PeerError {
  const message = `The client does not support sampling${wantsTools(params) ? " with tools" : ""}`;
  return { code: METHOD_NOT_FOUND, message };
}

function wantsTools({ tools, toolChoice }: JsonObject): boolean {
  return tools !== undefined || toolChoice !== undefined;
}

/** Parses the response of a client to which a question was forwarded. Anything unclear counts as no answer. */
export function parseAskAnswer(result: Json | undefined): AskAnswer {
  if (!isJsonObject(result)) return NO_ANSWER;
  const { action, content, role, model, roots } = result;
  if (action === "decline") return { action };
  // The content is not checked here: the client and the server both know the form.
  if (action === "accept") {
    return isJsonObject(content) ? { action, content: content as { [field: string]: string } } : { action };
  }
  if (action === undefined && Array.isArray(roots)) return { action: "listed", result };
  const isSampled = action === undefined && content !== undefined && role !== undefined && typeof model === "string";
  return isSampled ? { action: "sampled", result } : NO_ANSWER;
}

const ASK_METHODS = {
  elicitation: "elicitation/create",
  sampling: "sampling/createMessage",
  roots: "roots/list",
} as const;

export function askMethod({ type }: Ask): (typeof ASK_METHODS)[Ask["type"]] {
  return ASK_METHODS[type];
}
