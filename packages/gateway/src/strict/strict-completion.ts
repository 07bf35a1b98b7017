/** Makes the result of a completion valid for a client: at most 100 values, all of them strings. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { withoutServerInfo } from "./strict-result.ts";

const MAX_VALUES = 100;

export function strictCompletion(result: JsonObject): JsonObject {
  const { completion, ...others } = withoutServerInfo(result);
  const { values, total, hasMore } = isJsonObject(completion) ? completion : {};
  const texts = Array.isArray(values) ? values.filter((value) => typeof value === "string") : [];
  return {
    ...others,
    completion: {
      values: texts.slice(0, MAX_VALUES),
      ...(Number.isInteger(total) && { total: total as number }),
      ...((hasMore === true || texts.length > MAX_VALUES) && { hasMore: true }),
    },
  };
}
