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

/** The type of the parameter is `object`, because an interface is not assignable to `JsonObject`. */
export function strictDescription(description: object): JsonObject {
  const value = description as JsonObject;
  const isValid = (field: string) => CHECKS.get(field)?.(value[field]) ?? true;
  if (Object.keys(value).every(isValid)) return value;
  return Object.fromEntries(Object.entries(value).filter(([field]) => isValid(field)));
}

function isString(value: Json | undefined): value is string {
  return typeof value === "string";
}

function isOptional(value: Json | undefined, check: Check): boolean {
  return value === undefined || check(value);
}

function isIcon(value: Json): boolean {
  if (!isJsonObject(value)) return false;
  const { src, mimeType, sizes, theme } = value;
  return isString(src) && isOptional(mimeType, isString) && isOptional(sizes, areStrings) && isOptional(theme, isTheme);
}

function areStrings(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every(isString);
}

function isTheme(value: Json | undefined): boolean {
  return value === "light" || value === "dark";
}

/** Accepts the annotations of tools and those of content. */
function areAnnotations({ audience, priority, lastModified, title }: JsonObject): boolean {
  return (
    isOptional(audience, isAudience) &&
    isOptional(priority, isPriority) &&
    isOptional(lastModified, isString) &&
    isOptional(title, isString)
  );
}

function isAudience(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every((one) => one === "user" || one === "assistant");
}

function isPriority(value: Json | undefined): boolean {
  return typeof value === "number" && value >= 0 && value <= 1;
}
