/**
 * Converts config that a program passes to JSON. Throws for values that JSON would drop silently, because one of
 * them may be a `deny` rule.
 */
import { HostError } from "@plugboard/contracts";

export function serializeJson(file: string, value: unknown): string {
  const configError = (reason: string, cause?: unknown) => new HostError("CONFIG_INVALID", { file, reason }, { cause });
  const check = (key: string, part: unknown): unknown => {
    const kind = unsupportedType(part);
    if (kind !== undefined) throw configError(`"${key}" is a ${kind}, which can't be written as JSON`);
    return part;
  };
  try {
    return JSON.stringify(value, check);
  } catch (error) {
    throw error instanceof HostError ? error : configError("it can't be written as JSON", error);
  }
}

function unsupportedType(value: unknown): string | undefined {
  if (value instanceof Map) return "Map";
  if (value instanceof Set) return "Set";
  return ["bigint", "function", "symbol"].find((type) => type === typeof value);
}
