/**
 * Whether a schema can be applied without a risk of blocking. Pure, and bounded
 * itself. What it can't prove to be cheap is applied in a thread.
 *
 * The weight of a schema is how many of its parts and keywords can apply to one
 * value, and the steps of those that take longer.
 * References are inlined first (`inline-references.ts`), so a shared part counts
 * once for each reference. The inlined schema is the one applied. A schema with
 * any other kind of reference is risky.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { costOf } from "./data-cost.ts";
import { dialectOf } from "./dialect.ts";
import { INLINE_PATH_CHARS, INLINE_SCHEMA, INLINE_WEIGHT, SCHEMA_COST, SCHEMA_DEPTH } from "./limits.ts";
import { patternCost } from "./pattern-cost.ts";
import { subschemas } from "./subschemas.ts";
import { inlineReferences } from "./inline-references.ts";

export type Risk =
  | {
      readonly kind: "cheap";
      /** The schema with inlined references. Only this one was judged, so only this one may be applied. */
      readonly schema: JsonObject;
      readonly weight: number;
      readonly readsText: boolean;
    }
  /** `schema` still has the references that could not be inlined. */
  | { readonly kind: "risky"; readonly schema: JsonObject }
  | { readonly kind: "unusable"; readonly reason: string };

export function assess(schema: JsonObject): Risk {
  const cost = costOf(schema, { budget: SCHEMA_COST, depth: SCHEMA_DEPTH, readsText: true });
  if (cost === Infinity) return { kind: "unusable", reason: "it is larger or deeper than can be checked" };
  if (!dialectOf(schema)) return { kind: "unusable", reason: "it is written in a dialect that is not supported" };
  const judged = inlineReferences(schema);
  if (!judged || costOf(judged, INLINE_SCHEMA) === Infinity) return { kind: "risky", schema };
  const walk = new Walk();
  if (!walk.isCheap(judged)) return { kind: "risky", schema: judged };
  return { kind: "cheap", schema: judged, weight: walk.weight + walk.extraSteps, readsText: walk.readsText };
}

/** Judging patterns takes time, too. */
const MAX_PATTERNS = 10;

/** What a pattern weighs for each look at a character. */
const LOOK_WEIGHT = 4;

/** Ajv makes a text of each item to find equal ones, which takes as long as that many steps. */
const UNIQUE_STEPS = 100;
/** Ajv makes an error for each form that a value does not have, even if it has another. */
const FORM_STEPS = 10;

/** Keywords whose values are compared one by one. A comparison reads at most the text in the schema. */
const WORDS = new Set(["enum", "const", "required", "type", "dependentRequired", "dependencies"]);
/** Keywords that try subschemas. */
const FORMS = new Set(["anyOf", "oneOf", "contains"]);
/** Keywords of no effect. */
const ANNOTATIONS = new Set([
  "title",
  "description",
  "default",
  "examples",
  "$schema",
  "$comment",
  "$defs",
  "definitions",
]);
const COMPARED = { budget: INLINE_WEIGHT, depth: SCHEMA_DEPTH, readsText: true };
const SCALARS: readonly (Json | undefined)[] = ["string", "number", "integer", "boolean", "null"];

class Walk {
  weight = 1;
  /** Steps for one value beyond one for each part. They slow down the check, not the compilation. */
  extraSteps = 0;
  /** Whether the length of text matters. */
  readsText = false;
  #patterns = 0;
  /** The length of all schema paths that the compiled code contains. */
  #pathChars = 0;

  /** `pathChars` is the length of the path from the root to the schema. */
  isCheap(schema: Json | undefined, pathChars = 0): boolean {
    if (!isJsonObject(schema)) return true;
    if (comparesAll(schema)) return false;
    const before = this.weight;
    const parts = subschemas(schema);
    if (!this.#weigh(parts.length) || !this.#weighKeywords(schema) || !this.#weighText(schema)) return false;
    // Ajv writes the path into the code for each error.
    this.#pathChars += (this.weight - before) * pathChars;
    return (
      this.#pathChars <= INLINE_PATH_CHARS &&
      parts.every((part) => this.isCheap(part.schema, pathChars + part.pathChars))
    );
  }

  #weigh(more: number): boolean {
    this.weight += more;
    return this.weight <= INLINE_WEIGHT;
  }

  #weighKeywords(schema: JsonObject): boolean {
    return Object.entries(schema).every(([keyword, value]) => {
      if (value === undefined || ANNOTATIONS.has(keyword)) return true;
      if (keyword === "uniqueItems" && value === true) this.extraSteps += UNIQUE_STEPS;
      if (FORMS.has(keyword)) this.extraSteps += FORM_STEPS * (Array.isArray(value) ? value.length : 1);
      return this.#weigh(WORDS.has(keyword) ? costOf(value, COMPARED) : 1);
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
      patterns.every((one) => this.#weigh(LOOK_WEIGHT * (patternCost(one) ?? Infinity)))
    );
  }
}

/** Ajv compares each item with each other unless it knows that all are scalars. */
function comparesAll({ uniqueItems, items }: JsonObject): boolean {
  if (uniqueItems !== true) return false;
  const types = isJsonObject(items) ? [items["type"]].flat() : [undefined];
  return types.length === 0 || types.some((type) => !SCALARS.includes(type));
}
