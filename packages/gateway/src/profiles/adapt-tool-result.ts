/** Adapts the result of a tool to a client: its URIs, the size limit of its profile, and the content types it knows. */
import type { Caller, JsonObject } from "@plugboard/contracts";
import { rewriteResultUris } from "@plugboard/host/internal";
import type { Revision } from "@plugboard/mcp";
import type { FrontView } from "./front-view.ts";
import type { ResourceDirectory } from "./resource-directory.ts";
import { strictToolResult } from "../strict/strict-result.ts";
import { capResult } from "./cap-result.ts";
import type { StoredOutputs } from "./stored-outputs.ts";

/** The view of a client, and where the full text of a cut result is stored. */
export interface ResultContext {
  readonly view: FrontView;
  readonly directory: ResourceDirectory;
  readonly outputs: StoredOutputs;
}

export interface Receiver {
  readonly caller: Caller;
  readonly revision: Revision;
}

/** Returns a promise only if the result is cut and its full text is stored. Awaiting a value would delay every result. */
export function adaptToolResult(
  { server, result }: { readonly server: string; readonly result: JsonObject },
  { caller, revision }: Receiver,
  { view, directory, outputs }: ResultContext,
): JsonObject | Promise<JsonObject> {
  const { maxResultBytes: maxBytes } = view;
  const rewritten = rewriteResultUris(result, directory.outwardFrom(server));
  if (maxBytes === undefined) return strictToolResult(rewritten, revision);
  const capped = capResult(rewritten, { maxBytes, store: (text) => outputs.save(text, caller) });
  if (!(capped instanceof Promise)) return strictToolResult(capped, revision);
  return capped.then((cut) => strictToolResult(cut, revision));
}
