/**
 * Cuts the contents of a resource for a client over stdio, as results of tools. A note follows them, which names the
 * resources with the rest. Over HTTP the limit of a profile is only for tools, so a client gets all contents.
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
