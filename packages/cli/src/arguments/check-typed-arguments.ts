/**
 * Checks the names, types and enums of a tool's arguments. The host and the server check the rest of the JSON Schema.
 * Pure.
 */
import type { Json, JsonObject, ToolParameter } from "@plugboard/contracts";
import { describeTypes } from "@plugboard/contracts";
import {
  nearest,
  allowedTypes,
  allowedValues,
  hasType,
  rejectsUnknownArguments,
  toolParameters,
} from "@plugboard/contracts";
import { findJsonLoss } from "./find-json-loss.ts";
import { tryParseJson } from "./try-parse-json.ts";

export interface CheckedArguments {
  /** The required parameters that have no value. */
  readonly missing: readonly ToolParameter[];
  /** The reasons why the arguments can't be sent, except missing values. */
  readonly problems: readonly string[];
  /** The arguments that are not in the schema and are sent anyway. */
  readonly unknown: readonly UnknownArgument[];
}

export interface UnknownArgument {
  readonly name: string;
  /** The parameter that was probably meant. */
  readonly suggestion: string | undefined;
}

export function checkTypedArguments(args: JsonObject, inputSchema: JsonObject): CheckedArguments {
  const parameters = toolParameters(inputSchema);
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const missing = parameters.filter(({ name, required }) => required && args[name] === undefined);
  const unused = parameters.filter(({ name }) => !Object.hasOwn(args, name)).map(({ name }) => name);
  const unknown = Object.keys(args)
    .filter((name) => !byName.has(name))
    .map((name): UnknownArgument => ({ name, suggestion: nearest(name, unused) }));
  const isClosed = rejectsUnknownArguments(inputSchema);
  // A name that is similar to a missing one is a typing error, even if the schema allows other names.
  const isMistake = ({ suggestion }: UnknownArgument) => isClosed || missing.some(({ name }) => name === suggestion);
  return {
    missing,
    problems: [
      ...Object.entries(args).flatMap(([name, value]) => {
        const parameter = byName.get(name);
        return parameter ? describeMismatch(name, value, parameter.schema, inputSchema) : [];
      }),
      ...unknown.filter(isMistake).map(describeUnknown),
    ],
    unknown:
      parameters.length === 0
        ? []
        : unknown.filter((argument) => !isMistake(argument) && isUnexpected(argument, inputSchema)),
  };
}

/**
 * Returns false if the schema itself mentions further arguments. A name that is similar to a known one is always
 * unexpected.
 */
function isUnexpected(
  { suggestion }: UnknownArgument,
  { additionalProperties, patternProperties }: JsonObject,
): boolean {
  return suggestion !== undefined || (additionalProperties === undefined && patternProperties === undefined);
}

function describeUnknown({ name, suggestion }: UnknownArgument): string {
  return `"${name}" is unknown${suggestion === undefined ? "" : ` (did you mean "${suggestion}"?)`}`;
}

/** Explains why a text that is JSON was not converted. */
function describeLoss(value: Json): string {
  const loss = typeof value === "string" && tryParseJson(value) !== undefined ? findJsonLoss(value) : undefined;
  return loss === undefined ? "" : ` (${loss})`;
}

/** Returns the problem of a value, or nothing if the schema allows it. */
export function describeMismatch(
  name: string,
  value: Json | undefined,
  schema: JsonObject,
  root: JsonObject,
): readonly string[] {
  if (value === undefined) return [];
  const types = allowedTypes(schema, root);
  if (types.length > 0 && !types.some((type) => hasType(value, type)))
    return [`"${name}" must be ${describeTypes(types)}, not ${shorten(value)}${describeLoss(value)}`];
  const allowed = allowedValues(schema, root);
  // Allowed values that are lists or objects are left to the host, which compares them.
  if (allowed === undefined || allowed.some((one) => typeof one === "object" && one !== null)) return [];
  if (allowed.some((one) => one === value)) return [];
  const shown = allowed.slice(0, MAX_VALUES).map(shorten);
  const others = allowed.length > shown.length ? ", …" : "";
  return [`"${name}" must be one of ${shown.join(", ")}${others}, not ${shorten(value)}`];
}

const MAX_VALUES = 30;
const MAX_CHARS = 60;

function shorten(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}…`;
}
