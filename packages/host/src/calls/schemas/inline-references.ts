/**
 * Replaces references by the schemas they refer to. A validator that compiles
 * the result has nothing to resolve, so it can't resolve it differently from the
 * code that judges the schema. Only the plain form is replaced: `#/$defs/name`
 * or `#/definitions/name`, in a schema without ids and anchors of its parts.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { costOf } from "./data-cost.ts";
import { INLINE_COST, SCHEMA_DEPTH } from "./limits.ts";
import { mapSubschemas } from "./subschemas.ts";

/** Returns undefined if anything would be left to resolve. */
export function inlineReferences(root: JsonObject): JsonObject | undefined {
  // The id of the whole changes nothing: a plain reference leads into the same document.
  const { $id: _, ...schema } = root;
  if (mentions(OTHER_FORMS, schema)) return undefined;
  if (!mentions(REF, schema)) return root;
  const { $defs, definitions, ...applied } = schema;
  const expanded = new Expansion({ $defs, definitions }).of(applied);
  return mentions(REF, expanded) ? undefined : expanded;
}

const REF: ReadonlySet<string> = new Set(["$ref"]);
/** The other keywords by which a schema refers, or can be referred to. */
const OTHER_FORMS: ReadonlySet<string> = new Set([
  ...["$dynamicRef", "$recursiveRef"],
  ...["$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"],
]);
const PLAIN_REFERENCE = /^#\/(\$defs|definitions)\/([\w.-]+)$/;

/** Looks at every value, also where no schema is expected. A keyword's value is no object; a property of that name has one. */
function mentions(keywords: ReadonlySet<string>, value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some((inner) => mentions(keywords, inner));
  if (!isJsonObject(value)) return false;
  for (const key in value) {
    const inner = value[key];
    if (typeof inner === "object" ? mentions(keywords, inner) : keywords.has(key)) return true;
  }
  return false;
}

/** Deeper schemas are not expanded; one that leads into itself would never end. */
const MAX_DEPTH = 100;

class Expansion {
  readonly #definitions: JsonObject;
  /** What may still be copied. A reference beyond that stays. */
  #budget = INLINE_COST;

  constructor(definitions: JsonObject) {
    this.#definitions = definitions;
  }

  of(schema: JsonObject, depth = 0): JsonObject {
    if (depth > MAX_DEPTH) return schema;
    const expand = (inner: JsonObject) => this.of(inner, depth + 1);
    const { $ref, ...others } = schema;
    const target = typeof $ref === "string" ? this.#take($ref) : undefined;
    if (target === undefined) return mapSubschemas(schema, expand);
    const { allOf, ...beside } = mapSubschemas(others, expand);
    const referred = isJsonObject(target) ? expand(target) : target;
    return { ...beside, allOf: allOf === undefined ? [referred] : [{ allOf }, referred] };
  }

  #take(reference: string): Json | undefined {
    const [, keyword = "", name = ""] = PLAIN_REFERENCE.exec(reference) ?? [];
    const definitions = this.#definitions[keyword];
    const found = isJsonObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (!isJsonObject(found) && typeof found !== "boolean") return undefined;
    this.#budget -= costOf(found, { budget: this.#budget, depth: SCHEMA_DEPTH, readsText: true });
    return this.#budget < 0 ? undefined : found;
  }
}
