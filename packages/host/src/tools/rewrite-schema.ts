/**
 * Rewrites a schema to valid JSON Schema 2020-12. Removes unknown keywords and invalid values, which makes the schema
 * less strict there. Models get the result; arguments are checked against the original.
 */
import { isJsonObject, resolveRef } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import {
  isPattern,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
  VALUE_KEYWORDS,
} from "./schema-keywords.ts";
import { replaceLoneSurrogates } from "./replace-lone-surrogates.ts";

export interface RewriteSchemaOptions {
  /** Replaces references with their targets. */
  readonly inlineRefs?: boolean;
  /** Adds empty `properties` to objects and empty `items` to arrays. */
  readonly fillMissing?: boolean;
  /** Removes required properties that are not defined. */
  readonly dropUnknownRequired?: boolean;
}

const MAX_DEPTH = 64;
const MAX_NODES = 10_000;

/** Returns undefined for a schema that is too large or too deep. */
export function rewriteSchema(root: JsonObject, options: RewriteSchemaOptions): JsonObject | undefined {
  const rewriter = new SchemaRewriter(root, options);
  const rewritten = rewriter.rewrite(root, 0);
  return rewriter.isTooLarge ? undefined : rewritten;
}

class SchemaRewriter {
  isTooLarge = false;
  readonly #root: JsonObject;
  readonly #options: RewriteSchemaOptions;
  /** The references that are being inlined, from the root inwards. */
  readonly #openRefs: string[] = [];
  #nodes = 0;

  constructor(root: JsonObject, options: RewriteSchemaOptions) {
    this.#root = root;
    this.#options = options;
  }

  rewrite(schema: Json | undefined, depth: number): JsonObject {
    if (schema === false) return { not: {} };
    if (!isJsonObject(schema)) return {};
    this.isTooLarge ||= ++this.#nodes > MAX_NODES || depth > MAX_DEPTH;
    if (this.isTooLarge) return {};
    const { $ref: ref, ...others } = schema;
    if (typeof ref !== "string") return this.#keywords(schema, depth);
    const target = resolveRef(this.#root, ref);
    // A reference to a definition stays, unless all references are inlined.
    if (target && isDefinitionRef(ref) && !this.#options.inlineRefs) return this.#keywords(schema, depth);
    // Removes a reference without a target, and a recursive reference, because inlining it would never end.
    if (!target || this.#openRefs.includes(ref)) return this.#keywords(others, depth);
    this.#openRefs.push(ref);
    const inlined = this.rewrite({ ...target, ...others }, depth + 1);
    this.#openRefs.pop();
    return inlined;
  }

  #keywords(schema: JsonObject, depth: number): JsonObject {
    const entries = Object.entries(toDraft2020(schema)).flatMap(([keyword, value]): [string, Json][] => {
      const rewritten = value === undefined ? undefined : this.#value(keyword, value, depth);
      return rewritten === undefined ? [] : [[keyword, rewritten]];
    });
    return this.#applyOptions(Object.fromEntries(entries));
  }

  #value(keyword: string, value: Json, depth: number): Json | undefined {
    if (keyword === "additionalProperties" && typeof value === "boolean") return value;
    if (SCHEMA_KEYWORDS.has(keyword))
      return isJsonObject(value) || typeof value === "boolean" ? this.rewrite(value, depth + 1) : undefined;
    if (SCHEMA_LIST_KEYWORDS.has(keyword)) {
      if (!Array.isArray(value) || value.length === 0) return undefined;
      return value.map((inner) => this.rewrite(inner, depth + 1));
    }
    if (SCHEMA_MAP_KEYWORDS.has(keyword)) return this.#map(keyword, value, depth);
    return VALUE_KEYWORDS.get(keyword)?.(value) ? replaceLoneSurrogatesIn(value) : undefined;
  }

  #map(keyword: string, value: Json, depth: number): Json | undefined {
    // Inlined definitions are not needed any more.
    const isUnused = this.#options.inlineRefs && (keyword === "$defs" || keyword === "definitions");
    if (!isJsonObject(value) || isUnused) return undefined;
    const entries = Object.entries(value).filter(([key]) => keyword !== "patternProperties" || isPattern(key));
    return Object.fromEntries(
      entries.map(([key, inner]) => [replaceLoneSurrogates(key), this.rewrite(inner, depth + 1)]),
    );
  }

  #applyOptions(schema: JsonObject): JsonObject {
    const { fillMissing, dropUnknownRequired } = this.#options;
    const { type, properties, items, required } = schema;
    const types = [type].flat();
    const defined = isJsonObject(properties) ? properties : {};
    return {
      ...schema,
      ...(fillMissing && types.includes("object") && !properties && { properties: {} }),
      ...(fillMissing && types.includes("array") && !items && { items: {} }),
      ...(Array.isArray(required) && {
        required: [...new Set(required)].filter((key) => !dropUnknownRequired || Object.hasOwn(defined, key as string)),
      }),
    };
  }
}

/** Converts a list of schemas in `items`, as in older drafts, to `prefixItems`. `additionalItems` becomes `items`. */
function toDraft2020(schema: JsonObject): JsonObject {
  const { items, additionalItems, ...others } = schema;
  return Array.isArray(items) ? { ...others, prefixItems: items, items: additionalItems } : schema;
}

/** May recurse, because `model-schema.ts` has rejected schemas that are too deep. */
function replaceLoneSurrogatesIn(value: Json): Json {
  if (typeof value === "string") return replaceLoneSurrogates(value);
  if (Array.isArray(value)) return value.map(replaceLoneSurrogatesIn);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      replaceLoneSurrogates(key),
      inner === undefined ? null : replaceLoneSurrogatesIn(inner),
    ]),
  );
}

const DEFINITION = /^#\/(?:\$defs|definitions)\/[^/]+$/;

/** Returns whether the reference is to the whole schema or to a definition. Only such references may stay. */
function isDefinitionRef(ref: string): boolean {
  return ref === "#" || DEFINITION.test(ref);
}
