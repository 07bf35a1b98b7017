/** Reads what a front asks for, in the words that both eras share. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, PeerError } from "@plugboard/contracts";
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../wire/rpc-codes.ts";
import type { AskAnswer } from "./ask.ts";
import type { ElicitationSupport } from "./handler.ts";
import type { Op } from "./op.ts";

export function readOp(method: string, params: JsonObject): Op | PeerError {
  switch (method) {
    case "tools/list": {
      const { cursor } = params;
      if (cursor !== undefined && typeof cursor !== "string") return invalid('"cursor" is not a string');
      return { method, params: cursor === undefined ? {} : { cursor } };
    }
    case "tools/call": {
      const { name, arguments: args = {} } = params;
      if (typeof name !== "string") return invalid('"name" is missing');
      if (!isJsonObject(args)) return invalid('"arguments" is not an object');
      return { method, params: { name, arguments: args } };
    }
    default:
      return { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` };
  }
}

/** What a front says it can be asked. `{}` has always meant: by form. */
export function readElicitationSupport(capabilities: Json | undefined): ElicitationSupport {
  const elicitation = isJsonObject(capabilities) ? capabilities["elicitation"] : undefined;
  if (!isJsonObject(elicitation)) return { form: false, url: false };
  const url = isJsonObject(elicitation["url"]);
  return { url, form: isJsonObject(elicitation["form"]) || !url };
}

/** A front's answer. Whatever is not a clear yes or no counts as no answer. */
export function readAnswer(result: Json | undefined): AskAnswer {
  if (!isJsonObject(result)) return { action: "cancel" };
  const { action, content } = result;
  if (action === "decline") return { action };
  if (action !== "accept") return { action: "cancel" };
  // What is in it is between the front and the server; both have the form.
  return isJsonObject(content) ? { action, content: content as { [field: string]: string } } : { action };
}

function invalid(message: string): PeerError {
  return { code: INVALID_PARAMS, message };
}
