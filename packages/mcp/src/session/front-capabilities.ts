/** Parses which questions a client of the gateway can be asked, from the capabilities it declares. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { parseExtensions, TASKS_EXTENSION } from "./identity.ts";
import type { SamplingSupport } from "./identity.ts";
import type { TaskRequest } from "./op.ts";

export interface FrontCapabilities {
  readonly elicitation: ElicitationSupport;
  readonly sampling: SamplingSupport;
  /** True if the client has roots. */
  readonly roots?: boolean | undefined;
  /** True if the client can follow a task. An object if its request asks for one. */
  readonly tasks: boolean | TaskRequest;
  /** The settings of other extensions that the client supports, by name. */
  readonly extensions?: { readonly [name: string]: JsonObject } | undefined;
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
  const { elicitation, sampling, roots, extensions } = isJsonObject(capabilities) ? capabilities : {};
  const { [TASKS_EXTENSION]: tasks, ...others } = parseExtensions(extensions);
  return {
    elicitation: parseElicitationSupport(elicitation),
    sampling: isJsonObject(sampling) && (isJsonObject(sampling["tools"]) ? "with-tools" : true),
    ...(isJsonObject(roots) && { roots: true }),
    tasks: tasks !== undefined,
    ...(Object.keys(others).length > 0 && { extensions: others }),
  };
}

/** Treats `{}` as support for forms, as older revisions define it. */
function parseElicitationSupport(elicitation: Json | undefined): ElicitationSupport {
  if (!isJsonObject(elicitation)) return NO_FRONT_CAPABILITIES.elicitation;
  const url = isJsonObject(elicitation["url"]);
  return { url, form: isJsonObject(elicitation["form"]) || !url };
}
