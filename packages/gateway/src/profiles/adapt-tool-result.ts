/** Adapts the result of a tool to a client: rewrites URIs, cuts long text, and converts unknown content types. */
import type { Caller, JsonObject, Tool } from "@plugboard/contracts";
import { rewriteResultUris } from "@plugboard/host/forwarding";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import type { Revision } from "@plugboard/mcp";
import type { FrontView } from "./front-view.ts";
import type { ResourceDirectory } from "./resource-directory.ts";
import { strictToolResult } from "../strict/strict-result.ts";
import { capResult, surelyFits } from "./cap-result.ts";
import type { ResultCap, ResultLimits } from "./cap-result.ts";
import { resultLimits } from "./result-limits.ts";
import type { StoredOutputs } from "./stored-outputs.ts";

/** The view of a client, and where the full text of a cut result is stored. */
export interface ResultContext {
  readonly workspace: Pick<OpenWorkspace, "tools">;
  readonly view: FrontView;
  readonly directory: ResourceDirectory;
  readonly outputs: StoredOutputs;
}

/** The client that gets the result. */
export interface Receiver {
  readonly caller: Caller;
  readonly revision: Revision;
}

export interface ServerResult {
  readonly server: string;
  readonly result: JsonObject;
  /** The definition of the tool, if it is known. */
  readonly definition?: Tool | undefined;
}

/** Returns a promise only if the result may be cut. Awaiting a value would delay every result. */
export function adaptToolResult(
  given: ServerResult,
  receiver: Receiver,
  context: ResultContext,
): JsonObject | Promise<JsonObject> {
  const rewritten = rewriteResultUris(given.result, context.directory.outwardFrom(given.server));
  const limits = resultLimits(receiver.caller, context.view);
  if (!limits || surelyFits(rewritten, limits)) return strictToolResult(rewritten, receiver.revision);
  return adaptLongResult({ ...given, result: rewritten }, receiver, limits, context);
}

async function adaptLongResult(
  { server, result, definition }: ServerResult,
  { caller, revision }: Receiver,
  limits: ResultLimits,
  { workspace, outputs }: ResultContext,
): Promise<JsonObject> {
  const store: ResultCap["store"] = (text, mediaType) => outputs.save(text, caller, mediaType);
  const capped = await capResult(result, { ...limits, store });
  // Official clients would reject the next result like this one, so the tool is listed without its schema from now on.
  const isStructureLost = result["structuredContent"] !== undefined && capped["structuredContent"] === undefined;
  if (isStructureLost && definition) workspace.tools.recordUnmetSchema({ server, definition });
  return strictToolResult(capped, revision);
}
