/** Describes one Ajv error in plain words. Never includes values of the data. */
import { isJsonObject, nearest, resolveRef } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { ErrorObject } from "ajv";
import { MAX_WORD_CHARS } from "./check-limits.ts";
import { locate, childPath } from "./locate.ts";
import type { Problem } from "./check-result.ts";
import { describeAllowedValues, truncateWord, describeTypeMismatch } from "./describe-mismatch.ts";

/** How many more searches for a similar name are allowed. A search takes time for each known name. */
export interface SuggestionBudget {
  left: number;
}

export function describeError(
  error: ErrorObject,
  value: Json,
  schema: JsonObject,
  suggestions: SuggestionBudget,
): Problem {
  const located = locate(value, error.instancePath);
  const property = propertyOf(error);
  const path = property === undefined ? located.path : childPath(located.path, property);
  const describe = DESCRIPTIONS.get(error.keyword);
  return {
    path,
    message:
      describe?.(error.params, {
        value: located.value,
        suggest: (name) => suggestName(name, error, schema, suggestions),
      }) ??
      error.message ??
      "is not valid",
  };
}

/** Returns the property that an error of an object is about. */
function propertyOf({ params }: ErrorObject): string | undefined {
  for (const key of ["missingProperty", "additionalProperty", "unevaluatedProperty", "propertyName"]) {
    if (typeof params[key] === "string") return params[key];
  }
  return undefined;
}

function suggestName(
  name: string,
  error: ErrorObject,
  schema: JsonObject,
  suggestions: SuggestionBudget,
): string | undefined {
  if (name.length > MAX_WORD_CHARS || suggestions.left === 0) return undefined;
  suggestions.left--;
  return nearest(name, knownNames(error, schema));
}

/** Returns the properties that the schema knows. */
function knownNames({ schemaPath }: ErrorObject, schema: JsonObject): string[] {
  const parent = resolveRef(schema, schemaPath.slice(0, schemaPath.lastIndexOf("/")));
  return isJsonObject(parent?.["properties"]) ? Object.keys(parent["properties"]) : [];
}

type Params = ErrorObject["params"];
interface ErrorContext {
  readonly value: Json | undefined;
  readonly suggest: (name: string) => string | undefined;
}
type Describe = (params: Params, context: ErrorContext) => string;

const unknownProperty: Describe = (params, { suggest }) => {
  const name: unknown = params["additionalProperty"] ?? params["unevaluatedProperty"];
  const near = typeof name === "string" ? suggest(name) : undefined;
  return near === undefined ? "is not known" : `is not known; did you mean ${JSON.stringify(truncateWord(near))}?`;
};
const COMPARISONS = new Map([
  ["<=", "at most"],
  [">=", "at least"],
  ["<", "less than"],
  [">", "more than"],
]);
const compare: Describe = ({ comparison, limit }) => `must be ${COMPARISONS.get(comparison)} ${limit}`;
const atMostItems: Describe = ({ limit }) => `must have at most ${limit} items`;
const missingDependency: Describe = ({ property }) =>
  `is missing, but is required with ${JSON.stringify(truncateWord(String(property)))}`;

const DESCRIPTIONS = new Map<string, Describe>([
  ["type", ({ type }, { value }) => describeTypeMismatch([type].flat(), value)],
  ["required", () => "is missing"],
  ["additionalProperties", unknownProperty],
  ["unevaluatedProperties", unknownProperty],
  ["enum", ({ allowedValues }) => describeAllowedValues(allowedValues)],
  ["const", ({ allowedValue }) => describeAllowedValues([allowedValue])],
  ["minimum", compare],
  ["maximum", compare],
  ["exclusiveMinimum", compare],
  ["exclusiveMaximum", compare],
  ["multipleOf", ({ multipleOf }) => `must be a multiple of ${multipleOf}`],
  ["minLength", ({ limit }) => `must have at least ${limit} characters`],
  ["maxLength", ({ limit }) => `must have at most ${limit} characters`],
  ["minItems", ({ limit }) => `must have at least ${limit} items`],
  ["maxItems", atMostItems],
  ["items", atMostItems],
  ["additionalItems", atMostItems],
  ["unevaluatedItems", ({ len }) => `must have at most ${len} items`],
  ["minProperties", ({ limit }) => `must have at least ${limit} properties`],
  ["maxProperties", ({ limit }) => `must have at most ${limit} properties`],
  ["pattern", ({ pattern }) => `must match the pattern ${truncateWord(String(pattern))}`],
  ["format", ({ format }) => `must have the format ${truncateWord(String(format))}`],
  ["uniqueItems", ({ i, j }) => `must have unique items, but [${j}] and [${i}] are equal`],
  ["contains", ({ minContains }) => `must have at least ${minContains} matching items`],
  ["propertyNames", () => "has a name that is not allowed"],
  ["dependentRequired", missingDependency],
  ["dependencies", missingDependency],
  ["oneOf", () => "matches more than one alternative, but must match exactly one"],
  ["not", () => "matches a schema that is not allowed"],
  ["false schema", () => "is not allowed"],
]);
