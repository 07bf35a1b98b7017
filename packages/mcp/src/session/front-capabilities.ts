/** Reads what a front can be asked, and what it answers, in the words that both eras share. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json } from "@plugboard/contracts";
import { NO_ANSWER } from "./ask.ts";
import type { AskAnswer } from "./ask.ts";
import type { FrontContext } from "./mcp-request-handler.ts";
import { TASKS_EXTENSION } from "./identity.ts";

export type FrontCapabilities = Pick<FrontContext, "elicitation" | "sampling" | "tasks">;

export const NO_FRONT_CAPABILITIES: FrontCapabilities = {
  elicitation: { form: false, url: false },
  sampling: false,
  tasks: false,
};

export function parseFrontCapabilities(capabilities: Json | undefined): FrontCapabilities {
  const { elicitation, sampling, extensions } = isJsonObject(capabilities) ? capabilities : {};
  return {
    elicitation: parseElicitationSupport(elicitation),
    sampling: isJsonObject(sampling),
    tasks: isJsonObject(extensions) && isJsonObject(extensions[TASKS_EXTENSION]),
  };
}

/** `{}` has always meant: by form. */
function parseElicitationSupport(elicitation: Json | undefined): FrontContext["elicitation"] {
  if (!isJsonObject(elicitation)) return NO_FRONT_CAPABILITIES.elicitation;
  const url = isJsonObject(elicitation["url"]);
  return { url, form: isJsonObject(elicitation["form"]) || !url };
}

/** Whatever is neither what a model said nor a clear yes or no counts as no answer. */
export function parseAskAnswer(result: Json | undefined): AskAnswer {
  if (!isJsonObject(result)) return NO_ANSWER;
  const { action, content, role, model } = result;
  if (action === "decline") return { action };
  // What is in it is between the front and the server; both have the form.
  if (action === "accept") {
    return isJsonObject(content) ? { action, content: content as { [field: string]: string } } : { action };
  }
  const isSampled = action === undefined && content !== undefined && role !== undefined && typeof model === "string";
  return isSampled ? { action: "sampled", result } : NO_ANSWER;
}
