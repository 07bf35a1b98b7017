/**
 * Cuts the contents of a resource for a client over stdio, in the same way as the result of a tool. A note at the end
 * names the stored resources with the whole contents. Clients over HTTP get all contents: the limit of a profile
 * applies only to tools.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Caller, Json, JsonObject } from "@plugboard/contracts";
import type { ResultContext } from "./adapt-tool-result.ts";
import { capResult, surelyFits } from "./cap-result.ts";
import type { ResultCap } from "./cap-result.ts";
import { resultLimits } from "./result-limits.ts";

export function capContents(
  result: JsonObject,
  requestedUri: string,
  caller: Caller,
  { view, outputs }: Pick<ResultContext, "view" | "outputs">,
): JsonObject | Promise<JsonObject> {
  const limits = caller.principal === undefined ? resultLimits(caller, view) : undefined;
  const content = (result["contents"] as Json[]).map((resource) => ({ type: "resource", resource }));
  if (!limits || surelyFits({ content }, limits)) return result;
  const store: ResultCap["store"] = (text, mediaType) => outputs.save(text, caller, mediaType);
  return capResult({ content }, { ...limits, store }).then((capped) => ({
    ...result,
    contents: (capped["content"] as Json[]).flatMap((block) => toContents(block, requestedUri)),
  }));
}

/** A note becomes a text of the requested resource. Links have no place in the contents of a resource. */
function toContents(block: Json, uri: string): JsonObject[] {
  const { resource, text } = block as JsonObject;
  if (isJsonObject(resource)) return [resource];
  return typeof text === "string" ? [{ uri, mimeType: "text/plain", text }] : [];
}
