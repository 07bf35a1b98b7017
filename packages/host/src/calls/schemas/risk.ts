/**
 * Whether a schema can be applied without a risk of blocking. Pure, and bounded
 * itself. What it can't prove to be cheap is applied in a thread.
 *
 * The weight of a schema is how many of its parts can come to bear on one value.
 * References are followed, so a schema that refers to one part from many places
 * weighs as much as if it were written out. One that refers to itself outweighs
 * every limit, and one that refers by more than a plain path is not judged.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { costOf } from "./data-cost.ts";
import { dialectOf } from "./dialect.ts";
import { INLINE_COST, INLINE_WEIGHT, SCHEMA_COST, SCHEMA_DEPTH } from "./limits.ts";
import { patternCost } from "./pattern-cost.ts";
import { resolvePointer } from "./resolve-pointer.ts";

export type Risk =
  | { readonly kind: "cheap"; readonly weight: number; readonly readsText: boolean }
  | { readonly kind: "risky" }
  | { readonly kind: "unusable"; readonly reason: string };

export function assess(schema: JsonObject): Risk {
  const cost = costOf(schema, { budget: SCHEMA_COST, depth: SCHEMA_DEPTH, readsText: true });
  if (cost === Infinity) return { kind: "unusable", reason: "it is larger or deeper than can be checked" };
  if (!dialectOf(schema)) return { kind: "unusable", reason: "it is written in a dialect that is not supported" };
  const walk = new Walk(schema);
  const isCheap = cost <= INLINE_COST && walk.isCheap(schema);
  return isCheap ? { kind: "cheap", weight: walk.weight, readsText: walk.readsText } : { kind: "risky" };
}

/** Judging patterns takes time, too. */
const MAX_PATTERNS = 10;

/** What a pattern weighs for each look at a character. */
const LOOK_WEIGHT = 4;

/** Which keywords hold schemas. */
const ONE = ["items", "additionalItems", "unevaluatedItems", "contains", "not", "if", "then", "else"];
const ONE_FOR_NAMES = ["additionalProperties", "unevaluatedProperties", "propertyNames"];
const LIST = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const MAP = ["properties", "patternProperties", "dependentSchemas", "dependencies"];
/** Which hold values to compare with, one by one. */
const WORDS = ["enum", "const", "required", "type", "dependentRequired", "dependencies"];
const PLAIN_REFERENCE = /^#(\/.{0,500})?$/;
const FREE_REFERENCES = ["$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"];
const SCALARS: readonly (Json | undefined)[] = ["string", "number", "integer", "boolean", "null"];

class Walk {
  weight = 1;
  /** Whether the length of text matters. */
  readsText = false;
  readonly #root: JsonObject;
  #patterns = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  isCheap(schema: Json | undefined): boolean {
    if (!isJsonObject(schema)) return true;
    if (this.#refersFreely(schema) || comparesAll(schema)) return false;
    const parts = this.#parts(schema);
    const words = { budget: INLINE_WEIGHT, depth: SCHEMA_DEPTH, readsText: false };
    return (
      this.#weigh(parts.length) &&
      WORDS.every((keyword) => schema[keyword] === undefined || this.#weigh(costOf(schema[keyword], words))) &&
      this.#weighText(schema) &&
      parts.every((part) => this.isCheap(part))
    );
  }

  #weigh(more: number): boolean {
    this.weight += more;
    return this.weight <= INLINE_WEIGHT;
  }

  /** References that depend on where they are read, or that are followed only while a value is looked at. */
  #refersFreely(schema: JsonObject): boolean {
    const { $ref, $id } = schema;
    if ($id !== undefined && schema !== this.#root) return true;
    if (typeof $ref === "string" && !PLAIN_REFERENCE.test($ref)) return true;
    return FREE_REFERENCES.some((keyword) => schema[keyword] !== undefined);
  }

  #weighText(schema: JsonObject): boolean {
    const { pattern, patternProperties, format, minLength, maxLength, uniqueItems } = schema;
    const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
    if (typeof pattern === "string") patterns.push(pattern);
    if (patterns.length > 0 || [format, minLength, maxLength, uniqueItems].some((one) => one !== undefined))
      this.readsText = true;
    this.#patterns += patterns.length;
    return (
      this.#patterns <= MAX_PATTERNS &&
      patterns.every((one) => this.#weigh(LOOK_WEIGHT * (patternCost(one) ?? Infinity)))
    );
  }

  #parts(schema: JsonObject): (Json | undefined)[] {
    const { $ref } = schema;
    const referred = typeof $ref === "string" ? [resolvePointer(this.#root, $ref)] : [];
    const single = [...ONE, ...ONE_FOR_NAMES].map((keyword) => schema[keyword]).filter(isJsonObject);
    const listed = LIST.map((keyword) => schema[keyword]).filter(Array.isArray);
    const mapped = MAP.map((keyword) => schema[keyword]).filter(isJsonObject);
    return [...referred, ...single, ...listed.flat(), ...mapped.flatMap((map) => Object.values(map))];
  }
}

/** Ajv compares each item with each other unless it knows that all are scalars. */
function comparesAll({ uniqueItems, items }: JsonObject): boolean {
  if (uniqueItems !== true) return false;
  const types = isJsonObject(items) ? [items["type"]].flat() : [undefined];
  return types.length === 0 || types.some((type) => !SCALARS.includes(type));
}
