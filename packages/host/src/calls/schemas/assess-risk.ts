/**
 * Assesses whether a schema can be applied without blocking the main thread. A schema that is not provably cheap is
 * applied in a worker thread. Pure. Its own running time is bounded for any schema.
 *
 * References are inlined first (`inline-references.ts`), so a shared part counts once per reference. The inlined schema
 * is also the schema that is applied. A schema with any other kind of reference is risky. The measures are:
 *
 * - Cost: the size of the schema, see `data-cost.ts`. Above one limit, the schema is risky. Above a higher limit, it is
 *   not applied at all.
 * - Weight: the number of parts, keywords and compared values that can apply to one value.
 * - Extra steps: the additional time of slow keywords. They are added to the weight of a cheap schema.
 * - Patterns: the number of regular expressions. Each also adds to the weight.
 * - Path characters: the length of the schema paths in the code that Ajv compiles.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { dataCost } from "./data-cost.ts";
import { dialectOf, subschemas } from "./json-schema.ts";
import {
  MAX_MAIN_THREAD_PATH_CHARS,
  MAIN_THREAD_SCHEMA_LIMITS,
  MAX_MAIN_THREAD_WEIGHT,
  MAX_SCHEMA_COST,
  MAX_SCHEMA_DEPTH,
} from "./check-limits.ts";
import { patternCost } from "./pattern-cost.ts";
import { inlineReferences } from "./inline-references.ts";

export type Risk =
  | {
      readonly kind: "cheap";
      /** The schema with inlined references. Only this schema was assessed, so only this schema may be applied. */
      readonly schema: JsonObject;
      readonly weight: number;
      /** True if a check takes longer for longer strings. */
      readonly readsText: boolean;
    }
  /** `schema` still has the references that could not be inlined. */
  | { readonly kind: "risky"; readonly schema: JsonObject }
  | { readonly kind: "unusable"; readonly reason: string };

export function assessRisk(schema: JsonObject): Risk {
  const cost = dataCost(schema, { budget: MAX_SCHEMA_COST, depth: MAX_SCHEMA_DEPTH, readsText: true });
  if (cost === Infinity) return { kind: "unusable", reason: "it is too large or too deep" };
  if (!dialectOf(schema)) return { kind: "unusable", reason: "its JSON Schema dialect is not supported" };
  const inlined = inlineReferences(schema);
  if (!inlined || dataCost(inlined, MAIN_THREAD_SCHEMA_LIMITS) === Infinity) return { kind: "risky", schema };
  const walk = new RiskWalk();
  if (!walk.addAndCheck(inlined)) return { kind: "risky", schema: inlined };
  return { kind: "cheap", schema: inlined, weight: walk.weight + walk.extraSteps, readsText: walk.readsText };
}

/** Limits the patterns, because assessing a pattern takes time. */
const MAX_PATTERNS = 10;

/** The weight of each time that a pattern visits a character. */
const CHAR_VISIT_WEIGHT = 4;

/** Ajv serializes each item to find equal items. That takes as long as this number of steps. */
const UNIQUE_ITEM_STEPS = 100;
/** Ajv creates an error for each alternative that does not match, even if another alternative matches. */
const BRANCH_STEPS = 10;

/** Keywords whose values are compared one by one. A comparison reads at most the text in the schema. */
const COMPARED_KEYWORDS = new Set(["enum", "const", "required", "type", "dependentRequired", "dependencies"]);
/** Keywords that try several subschemas or several items. */
const BRANCH_KEYWORDS = new Set(["anyOf", "oneOf", "contains"]);
/** Keywords that reject no value. */
const ANNOTATION_KEYWORDS = new Set([
  "title",
  "description",
  "default",
  "examples",
  "$schema",
  "$comment",
  "$defs",
  "definitions",
]);
const COMPARED_LIMITS = { budget: MAX_MAIN_THREAD_WEIGHT, depth: MAX_SCHEMA_DEPTH, readsText: true };
const SCALAR_TYPES: readonly (Json | undefined)[] = ["string", "number", "integer", "boolean", "null"];

class RiskWalk {
  weight = 1;
  /** Additional steps for slow keywords. They slow down the check, not the compilation. */
  extraSteps = 0;
  /** Whether the length of text matters. */
  readsText = false;
  #patterns = 0;
  /** The length of all schema paths that the compiled code contains. */
  #pathChars = 0;

  /**
   * Adds the schema and its parts to the totals. Returns whether the totals are still within the limits. `pathChars` is
   * the length of the path from the root to the schema.
   */
  addAndCheck(schema: Json | undefined, pathChars = 0): boolean {
    if (!isJsonObject(schema)) return true;
    if (comparesPairwise(schema)) return false;
    const before = this.weight;
    const parts = subschemas(schema);
    if (!this.#addWeight(parts.length) || !this.#weighKeywords(schema) || !this.#weighText(schema)) return false;
    // Ajv writes the path into the code for each error.
    this.#pathChars += (this.weight - before) * pathChars;
    return (
      this.#pathChars <= MAX_MAIN_THREAD_PATH_CHARS &&
      parts.every((part) => this.addAndCheck(part.schema, pathChars + part.pathChars))
    );
  }

  /** Returns whether the weight is still within the limit. */
  #addWeight(added: number): boolean {
    this.weight += added;
    return this.weight <= MAX_MAIN_THREAD_WEIGHT;
  }

  #weighKeywords(schema: JsonObject): boolean {
    return Object.entries(schema).every(([keyword, value]) => {
      if (value === undefined || ANNOTATION_KEYWORDS.has(keyword)) return true;
      if (keyword === "uniqueItems" && value === true) this.extraSteps += UNIQUE_ITEM_STEPS;
      if (BRANCH_KEYWORDS.has(keyword)) this.extraSteps += BRANCH_STEPS * (Array.isArray(value) ? value.length : 1);
      return this.#addWeight(COMPARED_KEYWORDS.has(keyword) ? dataCost(value, COMPARED_LIMITS) : 1);
    });
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
      patterns.every((one) => this.#addWeight(CHAR_VISIT_WEIGHT * (patternCost(one) ?? Infinity)))
    );
  }
}

/**
 * Returns whether Ajv compares all pairs of items. It does so for `uniqueItems`, unless all items are known scalars.
 */
function comparesPairwise({ uniqueItems, items }: JsonObject): boolean {
  if (uniqueItems !== true) return false;
  const types = isJsonObject(items) ? [items["type"]].flat() : [undefined];
  return types.length === 0 || types.some((type) => !SCALAR_TYPES.includes(type));
}
