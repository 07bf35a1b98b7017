/**
 * Checks for arguments that arrive as JSON from another process.
 * A check returns the typed value, or throws USAGE with the name of the argument.
 */
import { HostError } from "../../errors/error.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { ToolRef } from "../../protocol/tool.ts";
import type { MethodSpec } from "./method-spec.ts";

export interface ArgumentCheck<T> {
  /** `name` describes the argument in the error, such as `argument 1 of "servers.connect"`. */
  (value: unknown, name: string): T;
  /** The JSON Schema of valid values, for the documentation of the API. */
  readonly schema: JsonObject;
}

export const text = expecting("a string", { type: "string" }, (value): value is string => typeof value === "string");

export const flag = expecting(
  "true or false",
  { type: "boolean" },
  (value): value is boolean => typeof value === "boolean",
);

export const number = expecting("a number", { type: "number" }, (value): value is number => typeof value === "number");

export const wholeNumber = expecting("a whole number", { type: "integer" }, (value): value is number =>
  Number.isInteger(value),
);

export const object = expecting("an object", { type: "object" }, isJsonObject);

export const texts = expecting(
  "a list of strings",
  { type: "array", items: { type: "string" } },
  (value): value is readonly string[] => Array.isArray(value) && value.every((entry) => typeof entry === "string"),
);

export const textMap = expecting(
  "an object whose values are strings",
  { type: "object", additionalProperties: { type: "string" } },
  (value): value is { readonly [name: string]: string } =>
    isJsonObject(value) && Object.values(value).every((entry) => typeof entry === "string"),
);

export const toolRef = expecting(
  "a tool name or an object with server and tool",
  {
    oneOf: [
      { type: "string" },
      {
        type: "object",
        required: ["server", "tool"],
        properties: { server: { type: "string" }, tool: { type: "string" } },
      },
    ],
  },
  (value): value is ToolRef =>
    typeof value === "string" ||
    (isJsonObject(value) && typeof value["server"] === "string" && typeof value["tool"] === "string"),
);

const CALL_ID = /^[\w.:-]{1,100}$/;
export const CALL_ID_FORM = "1 to 100 characters of A-Z, a-z, 0-9, _, ., : and -";

/** The id that a caller chooses for its call. Safe in files, logs and addresses. */
export const callId = expecting(CALL_ID_FORM, { type: "string", pattern: CALL_ID.source }, isCallId);

export function isCallId(value: unknown): value is string {
  return typeof value === "string" && CALL_ID.test(value);
}

/** Treats null and undefined as an empty object. Throws INVALID_ARGUMENTS for anything else that is not an object. */
export const toolArguments = withSchema({ type: ["object", "null"] }, (value): JsonObject => {
  if (isJsonObject(value)) return value;
  if (!isPresent(value)) return {};
  const kind = Array.isArray(value) ? "list" : typeof value;
  throw new HostError("INVALID_ARGUMENTS", { reason: `they must be an object, not a ${kind}` });
});

/** Accepts any JSON. The host checks the value. */
export const anyJson: ArgumentCheck<unknown> = withSchema({}, (value) => value);

export function oneOf<const Value extends string>(...allowed: readonly Value[]): ArgumentCheck<Value> {
  return expecting(allowed.join(" or "), { enum: [...allowed] }, (value): value is Value =>
    allowed.includes(value as Value),
  );
}

/** Treats null as absent, because JSON has no undefined. */
export function optional<T>(check: ArgumentCheck<T>): ArgumentCheck<T | undefined> {
  return withSchema({ anyOf: [check.schema, { type: "null" }] }, (value, name) =>
    isPresent(value) ? check(value, name) : undefined,
  );
}

/** Checks an options object. Every option may be absent; an unknown option is an error. */
export function options<Checks extends { readonly [option: string]: ArgumentCheck<unknown> }>(
  checks: Checks,
): ArgumentCheck<{ readonly [Option in keyof Checks]?: ReturnType<Checks[Option]> }> {
  const properties = Object.fromEntries(Object.entries(checks).map(([option, check]) => [option, check.schema]));
  const schema = { type: ["object", "null"], properties, additionalProperties: false };
  return withSchema(schema, (value, name) => {
    const present = Object.entries(object(value ?? {}, name)).filter(([, optionValue]) => isPresent(optionValue));
    const checked = present.map(([option, optionValue]) => {
      if (!Object.hasOwn(checks, option)) throw usageError(`${name} has no option ${JSON.stringify(option)}`);
      return [option, checks[option]!(optionValue, `option "${option}" of ${name}`)];
    });
    return Object.fromEntries(checked) as { [Option in keyof Checks]?: ReturnType<Checks[Option]> };
  });
}

/** Returns the names of a method's options. Undefined if its last argument is no object with options. */
export function optionNames({ params, signal, progress }: MethodSpec): readonly string[] | undefined {
  const { properties, additionalProperties } = params.at(-1)?.schema ?? {};
  if (additionalProperties !== false) return undefined;
  return [...Object.keys(properties as JsonObject), ...(signal ? ["signal"] : []), ...(progress ? ["onProgress"] : [])];
}

/** Makes a check from a condition. `expected` describes valid values in the error. */
function expecting<T>(expected: string, schema: JsonObject, matches: (value: unknown) => value is T): ArgumentCheck<T> {
  return withSchema(schema, (value, name) => {
    if (matches(value)) return value;
    throw usageError(`${name} must be ${expected}`);
  });
}

function withSchema<T>(schema: JsonObject, check: (value: unknown, name: string) => T): ArgumentCheck<T> {
  return Object.assign(check, { schema });
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function usageError(message: string): HostError {
  return new HostError("USAGE", { message });
}
