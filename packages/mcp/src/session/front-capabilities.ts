/** Parses which questions a client of the gateway can be asked, from the capabilities it declares. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json } from "@plugboard/contracts";
import { TASKS_EXTENSION } from "./identity.ts";

export interface FrontCapabilities {
  readonly elicitation: ElicitationSupport;
  readonly sampling: boolean;
  /** True if the client can follow a task. */
  readonly tasks: boolean;
}

export interface ElicitationSupport {
  readonly form: boolean;
  readonly url: boolean;
}

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

/** Treats `{}` as support for forms, as older revisions define it. */
function parseElicitationSupport(elicitation: Json | undefined): ElicitationSupport {
  if (!isJsonObject(elicitation)) return NO_FRONT_CAPABILITIES.elicitation;
  const url = isJsonObject(elicitation["url"]);
  return { url, form: isJsonObject(elicitation["form"]) || !url };
}
