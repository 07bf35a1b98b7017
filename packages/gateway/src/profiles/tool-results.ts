/** Makes the results of tools fit for a client: its URIs, the size that its profile allows, and the types it knows. */
import type { Caller, JsonObject } from "@plugboard/contracts";
import { rewriteResultUris } from "@plugboard/host/internal";
import type { FrontView } from "./front-view.ts";
import type { ResourceDirectory } from "./resource-directory.ts";
import { strictToolResult } from "../strict/strict-result.ts";
import { capResult } from "./cap-result.ts";
import type { StoredOutputs } from "./stored-outputs.ts";

export interface ToolResultsOptions {
  readonly view: FrontView;
  readonly directory: ResourceDirectory;
  readonly outputs: StoredOutputs;
}

export interface Receiver {
  readonly caller: Caller;
  readonly revision?: string | undefined;
}

export class ToolResults {
  readonly #options: ToolResultsOptions;

  constructor(options: ToolResultsOptions) {
    this.#options = options;
  }

  /** Returns a promise only if the result is cut. */
  outward(server: string, result: JsonObject, { caller, revision }: Receiver): JsonObject | Promise<JsonObject> {
    const { view, directory, outputs } = this.#options;
    const { maxResultBytes: maxBytes } = view;
    const rewritten = rewriteResultUris(result, directory.outwardFrom(server));
    if (maxBytes === undefined) return strictToolResult(rewritten, revision);
    const capped = capResult(rewritten, { maxBytes, store: (text) => outputs.save(text, caller) });
    if (!(capped instanceof Promise)) return strictToolResult(capped, revision);
    return capped.then((cut) => strictToolResult(cut, revision));
  }
}
