/**
 * Converts the config that a program passes as an object to JSON. Throws for values that JSON would drop silently,
 * because one of them may be a `deny` rule.
 */
import { HostError } from "@plugboard/contracts";

export function serializeJson(file: string, value: unknown): string {
  const configError = (reason: string, cause?: unknown) => new HostError("CONFIG_INVALID", { file, reason }, { cause });
  const rejectUnsupported = (key: string, part: unknown): unknown => {
    const type = unsupportedType(part);
    if (type !== undefined) throw configError(`"${key}" is a ${type}, which can't be written as JSON`);
    return part;
  };
  try {
    return JSON.stringify(value, rejectUnsupported);
  } catch (error) {
    throw error instanceof HostError ? error : configError("it can't be written as JSON", error);
  }
}

function unsupportedType(value: unknown): string | undefined {
  if (value instanceof Map) return "Map";
  if (value instanceof Set) return "Set";
  return ["bigint", "function", "symbol"].find((type) => type === typeof value);
}
