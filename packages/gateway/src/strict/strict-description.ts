/** Leaves out optional fields that are invalid, from anything that a server lists or links to. Keeps unknown fields. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

type Check = (value: Json | undefined) => boolean;

const CHECKS = new Map<string, Check>([
  ["title", isString],
  ["description", isString],
  ["mimeType", isString],
  ["size", Number.isInteger],
  ["icons", (value) => Array.isArray(value) && value.every(isIcon)],
  ["annotations", (value) => isJsonObject(value) && areAnnotations(value)],
  ["_meta", isJsonObject],
]);

export function strictDescription(value: JsonObject): JsonObject {
  const isValid = (field: string) => CHECKS.get(field)?.(value[field]) ?? true;
  if (Object.keys(value).every(isValid)) return value;
  return Object.fromEntries(Object.entries(value).filter(([field]) => isValid(field)));
}

function isString(value: Json | undefined): value is string {
  return typeof value === "string";
}

function isIcon(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  const { src, mimeType = "", sizes = [], theme = "light" } = value;
  const hasSizes = Array.isArray(sizes) && sizes.every(isString);
  return isString(src) && isString(mimeType) && hasSizes && (theme === "light" || theme === "dark");
}

/** Accepts the annotations of tools and those of content. */
function areAnnotations({ audience = [], priority = 0, lastModified = "", title = "" }: JsonObject): boolean {
  const isAudience = Array.isArray(audience) && audience.every((one) => one === "user" || one === "assistant");
  const isPriority = typeof priority === "number" && priority >= 0 && priority <= 1;
  return isAudience && isPriority && isString(lastModified) && isString(title);
}
