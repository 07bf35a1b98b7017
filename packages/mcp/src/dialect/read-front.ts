/** Reads what a front can be asked, and what it answers, in the words that both eras share. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json } from "@plugboard/contracts";
import { NO_ANSWER } from "./ask.ts";
import type { AskAnswer } from "./ask.ts";
import type { FrontContext } from "./handler.ts";
import { TASKS } from "./identity.ts";

export type FrontAbilities = Pick<FrontContext, "elicitation" | "sampling" | "tasks">;

export const UNABLE: FrontAbilities = { elicitation: { form: false, url: false }, sampling: false, tasks: false };

export function readAbilities(capabilities: Json | undefined): FrontAbilities {
  const { elicitation, sampling, extensions } = isJsonObject(capabilities) ? capabilities : {};
  return {
    elicitation: readElicitationSupport(elicitation),
    sampling: isJsonObject(sampling),
    tasks: isJsonObject(extensions) && isJsonObject(extensions[TASKS]),
  };
}

/** `{}` has always meant: by form. */
function readElicitationSupport(elicitation: Json | undefined): FrontContext["elicitation"] {
  if (!isJsonObject(elicitation)) return UNABLE.elicitation;
  const url = isJsonObject(elicitation["url"]);
  return { url, form: isJsonObject(elicitation["form"]) || !url };
}

/** Whatever is neither what a model said nor a clear yes or no counts as no answer. */
export function readAnswer(result: Json | undefined): AskAnswer {
  if (!isJsonObject(result)) return NO_ANSWER;
  const { action, content, role, model } = result;
  if (action === "decline") return { action };
  // What is in it is between the front and the server; both have the form.
  if (action === "accept") {
    return isJsonObject(content) ? { action, content: content as { [field: string]: string } } : { action };
  }
  const said = action === undefined && content !== undefined && role !== undefined && typeof model === "string";
  return said ? { action: "sampled", result } : NO_ANSWER;
}
