/**
 * Checks for arguments that arrive as JSON from another process.
 * A check returns the typed value, or throws USAGE with the name of the argument.
 */
import { HostError } from "../errors/error.ts";
import { isJsonObject } from "../lib/json.ts";
import type { JsonObject } from "../lib/json.ts";
import type { ToolRef } from "../protocol/tool.ts";

/** `name` describes the argument in the error, such as `argument 1 of "servers.connect"`. */
export type ArgumentCheck<T> = (value: unknown, name: string) => T;

export const text = expecting("a string", (value): value is string => typeof value === "string");

export const flag = expecting("true or false", (value): value is boolean => typeof value === "boolean");

export const wholeNumber = expecting("a whole number", (value): value is number => Number.isInteger(value));

export const object = expecting("an object", isJsonObject);

export const textMap = expecting(
  "an object whose values are strings",
  (value): value is { readonly [name: string]: string } =>
    isJsonObject(value) && Object.values(value).every((entry) => typeof entry === "string"),
);

export const toolRef = expecting(
  "a tool name or an object with server and tool",
  (value): value is ToolRef =>
    typeof value === "string" ||
    (isJsonObject(value) && typeof value["server"] === "string" && typeof value["tool"] === "string"),
);

/** Treats null and undefined as an empty object. Throws INVALID_ARGUMENTS for anything else that is not an object. */
export function toolArguments(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  if (!isPresent(value)) return {};
  const kind = Array.isArray(value) ? "list" : typeof value;
  throw new HostError("INVALID_ARGUMENTS", { reason: `they must be an object, not a ${kind}` });
}

/** Accepts any JSON. The host checks the value. */
export const anyJson: ArgumentCheck<unknown> = (value) => value;

export function oneOf<const Value extends string>(...allowed: readonly Value[]): ArgumentCheck<Value> {
  return expecting(allowed.join(" or "), (value): value is Value => allowed.includes(value as Value));
}

/** Treats null as absent, because JSON has no undefined. */
export function optional<T>(check: ArgumentCheck<T>): ArgumentCheck<T | undefined> {
  return (value, name) => (isPresent(value) ? check(value, name) : undefined);
}

/** Checks an options object. Every option may be absent; an unknown option is an error. */
export function options<Checks extends { readonly [option: string]: ArgumentCheck<unknown> }>(
  checks: Checks,
): ArgumentCheck<{ readonly [Option in keyof Checks]?: ReturnType<Checks[Option]> }> {
  return (value, name) => {
    const present = Object.entries(object(value ?? {}, name)).filter(([, optionValue]) => isPresent(optionValue));
    const checked = present.map(([option, optionValue]) => {
      if (!Object.hasOwn(checks, option)) throw usageError(`${name} has no option ${JSON.stringify(option)}`);
      return [option, checks[option]!(optionValue, `option "${option}" of ${name}`)];
    });
    return Object.fromEntries(checked) as { [Option in keyof Checks]?: ReturnType<Checks[Option]> };
  };
}

/** Makes a check from a condition. `expected` describes valid values in the error. */
function expecting<T>(expected: string, matches: (value: unknown) => value is T): ArgumentCheck<T> {
  return (value, name) => {
    if (matches(value)) return value;
    throw usageError(`${name} must be ${expected}`);
  };
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function usageError(message: string): HostError {
  return new HostError("USAGE", { message });
}
