/**
 * Rebuilds a schema out of what JSON Schema 2020-12 knows, each keyword with a
 * value that it may have. What is wrong is left out where it is, which makes
 * the schema laxer there and leaves the rest. It is what a model is told, not
 * what arguments are checked against.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import {
  isPattern,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
  VALUE_KEYWORDS,
} from "./schema-keywords.ts";
import { followRef, isPlainRef } from "./schema-ref.ts";
import { wellFormed } from "./well-formed.ts";

export interface SchemaNeeds {
  /** Whether references are replaced by what they refer to. */
  readonly inlineRefs?: boolean;
  /** Whether each object must say its properties and each array its items, be it nothing. */
  readonly complete?: boolean;
  /** Whether only properties that are there can be required. */
  readonly knownRequired?: boolean;
}

const MAX_DEPTH = 64;
const MAX_NODES = 10_000;

/** Nothing for one that is too much to be sent. */
export function rewriteSchema(root: JsonObject, needs: SchemaNeeds): JsonObject | undefined {
  const rewriting = new Rewriting(root, needs);
  const rewritten = rewriting.schema(root, 0);
  return rewriting.tooMuch ? undefined : rewritten;
}

class Rewriting {
  tooMuch = false;
  readonly #root: JsonObject;
  readonly #needs: SchemaNeeds;
  readonly #following: string[] = [];
  #nodes = 0;

  constructor(root: JsonObject, needs: SchemaNeeds) {
    this.#root = root;
    this.#needs = needs;
  }

  schema(schema: Json | undefined, depth: number): JsonObject {
    if (schema === false) return { not: {} };
    if (!isJsonObject(schema)) return {};
    this.tooMuch ||= ++this.#nodes > MAX_NODES || depth > MAX_DEPTH;
    if (this.tooMuch) return {};
    const { $ref: ref, ...others } = schema;
    if (typeof ref !== "string") return this.#keywords(schema, depth);
    const target = followRef(this.#root, ref);
    if (target && isPlainRef(ref) && !this.#needs.inlineRefs) return this.#keywords(schema, depth);
    // One that leads into itself would never end.
    if (!target || this.#following.includes(ref)) return this.#keywords(others, depth);
    this.#following.push(ref);
    const inlined = this.schema({ ...target, ...others }, depth + 1);
    this.#following.pop();
    return inlined;
  }

  #keywords(schema: JsonObject, depth: number): JsonObject {
    const entries = Object.entries(modernised(schema)).flatMap(([keyword, value]): [string, Json][] => {
      const rewritten = value === undefined ? undefined : this.#value(keyword, value, depth);
      return rewritten === undefined ? [] : [[keyword, rewritten]];
    });
    return this.#fitted(Object.fromEntries(entries));
  }

  #value(keyword: string, value: Json, depth: number): Json | undefined {
    if (keyword === "additionalProperties" && typeof value === "boolean") return value;
    if (SCHEMA_KEYWORDS.has(keyword)) return isSchema(value) ? this.schema(value, depth + 1) : undefined;
    if (SCHEMA_LIST_KEYWORDS.has(keyword)) {
      if (!Array.isArray(value) || value.length === 0) return undefined;
      return value.map((inner) => this.schema(inner, depth + 1));
    }
    if (SCHEMA_MAP_KEYWORDS.has(keyword)) return this.#map(keyword, value, depth);
    return VALUE_KEYWORDS.get(keyword)?.(value) ? plain(value) : undefined;
  }

  #map(keyword: string, value: Json, depth: number): Json | undefined {
    const isReplaced = this.#needs.inlineRefs && (keyword === "$defs" || keyword === "definitions");
    if (!isJsonObject(value) || isReplaced) return undefined;
    const entries = Object.entries(value).filter(([key]) => keyword !== "patternProperties" || isPattern(key));
    return Object.fromEntries(entries.map(([key, inner]) => [wellFormed(key), this.schema(inner, depth + 1)]));
  }

  #fitted(schema: JsonObject): JsonObject {
    const { complete, knownRequired } = this.#needs;
    const { type, properties, items, required } = schema;
    const types = [type].flat();
    const known = isJsonObject(properties) ? properties : {};
    return {
      ...schema,
      ...(complete && types.includes("object") && !properties && { properties: {} }),
      ...(complete && types.includes("array") && !items && { items: {} }),
      ...(Array.isArray(required) && {
        required: [...new Set(required)].filter((key) => !knownRequired || Object.hasOwn(known, key as string)),
      }),
    };
  }
}

/** Before 2020-12, a list of items was written as `items`, and the others as `additionalItems`. */
function modernised(schema: JsonObject): JsonObject {
  const { items, additionalItems, ...others } = schema;
  return Array.isArray(items) ? { ...others, prefixItems: items, items: additionalItems } : schema;
}

function isSchema(value: Json): boolean {
  return isJsonObject(value) || typeof value === "boolean";
}

/** Its depth is known: who is too deep has been refused. */
function plain(value: Json): Json {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [wellFormed(key), inner === undefined ? null : plain(inner)]),
  );
}
