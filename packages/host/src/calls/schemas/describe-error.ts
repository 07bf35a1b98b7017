/** A sentence for each kind of error that Ajv finds. None names a value of the data. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { ErrorObject } from "ajv";
import { nearest } from "../../names/nearest.ts";
import { followRef } from "../../tools/schema-ref.ts";
import { WORD_CHARS } from "./limits.ts";
import { locate, pathOf } from "./locate.ts";
import type { Problem } from "./problem.ts";
import { oneOfValues, shorten, wrongType } from "./words.ts";

/** A search for a near name takes time for each known name, so a check has only a few. */
export interface Suggestions {
  left: number;
}

export function describeError(error: ErrorObject, value: Json, schema: JsonObject, suggestions: Suggestions): Problem {
  const at = locate(value, error.instancePath);
  const member = memberOf(error);
  const path = member === undefined ? at.path : pathOf(at.path, member);
  const say = SENTENCES.get(error.keyword);
  return {
    path,
    message:
      say?.(error.params, { value: at.value, near: (name) => nearName(name, error, schema, suggestions) }) ??
      error.message ??
      "is not valid",
  };
}

/** Some keywords of an object speak of one of its members. */
function memberOf({ params }: ErrorObject): string | undefined {
  for (const key of ["missingProperty", "additionalProperty", "unevaluatedProperty", "propertyName"]) {
    if (typeof params[key] === "string") return params[key];
  }
  return undefined;
}

function nearName(name: string, error: ErrorObject, schema: JsonObject, suggestions: Suggestions): string | undefined {
  if (name.length > WORD_CHARS || suggestions.left === 0) return undefined;
  suggestions.left--;
  return nearest(name, knownNames(error, schema));
}

/** The properties that the schema that refused one does name. */
function knownNames({ schemaPath }: ErrorObject, schema: JsonObject): string[] {
  const parent = followRef(schema, schemaPath.slice(0, schemaPath.lastIndexOf("/")));
  return isJsonObject(parent?.["properties"]) ? Object.keys(parent["properties"]) : [];
}

type Params = ErrorObject["params"];
interface About {
  readonly value: Json | undefined;
  readonly near: (name: string) => string | undefined;
}
type Sentence = (params: Params, about: About) => string;

const unknown: Sentence = (params, { near: find }) => {
  const name: unknown = params["additionalProperty"] ?? params["unevaluatedProperty"];
  const near = typeof name === "string" ? find(name) : undefined;
  return near === undefined ? "is not known" : `is not known; did you mean ${JSON.stringify(shorten(near))}?`;
};
const COMPARISONS = new Map([
  ["<=", "at most"],
  [">=", "at least"],
  ["<", "less than"],
  [">", "more than"],
]);
const compare: Sentence = ({ comparison, limit }) => `must be ${COMPARISONS.get(comparison)} ${limit}`;
const atLeast =
  (what: string): Sentence =>
  ({ limit }) =>
    `must have at least ${limit} ${what}`;
const atMost =
  (what: string): Sentence =>
  ({ limit }) =>
    `must have at most ${limit} ${what}`;
const needed: Sentence = ({ property }) => `is missing; it is needed with ${JSON.stringify(shorten(String(property)))}`;

const SENTENCES = new Map<string, Sentence>([
  ["type", ({ type }, { value }) => wrongType([type].flat(), value)],
  ["required", () => "is missing"],
  ["additionalProperties", unknown],
  ["unevaluatedProperties", unknown],
  ["enum", ({ allowedValues }) => oneOfValues(allowedValues)],
  ["const", ({ allowedValue }) => oneOfValues([allowedValue])],
  ["minimum", compare],
  ["maximum", compare],
  ["exclusiveMinimum", compare],
  ["exclusiveMaximum", compare],
  ["multipleOf", ({ multipleOf }) => `must be a multiple of ${multipleOf}`],
  ["minLength", atLeast("characters")],
  ["maxLength", atMost("characters")],
  ["minItems", atLeast("items")],
  ["maxItems", atMost("items")],
  ["items", atMost("items")],
  ["additionalItems", atMost("items")],
  ["unevaluatedItems", ({ len }) => `must have at most ${len} items`],
  ["minProperties", atLeast("properties")],
  ["maxProperties", atMost("properties")],
  ["pattern", ({ pattern }) => `must match the pattern ${shorten(String(pattern))}`],
  ["format", ({ format }) => `must have the format ${shorten(String(format))}`],
  ["uniqueItems", ({ i, j }) => `must not have equal items, but [${j}] and [${i}] are`],
  ["contains", ({ minContains }) => `must have at least ${minContains} of the items it needs`],
  ["propertyNames", () => "is a name that is not allowed"],
  ["dependentRequired", needed],
  ["dependencies", needed],
  ["oneOf", () => "fits more than one of the forms of which it must have one"],
  ["not", () => "has a form that is not allowed"],
  ["false schema", () => "is not allowed"],
]);
