/**
 * Replaces references with the schemas they refer to. The validator then has no
 * reference to resolve, so it can't resolve one differently from the risk check.
 * Replaces only `#/$defs/name` and `#/definitions/name`, in a schema whose parts
 * have no ids or anchors.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { costOf } from "./data-cost.ts";
import { INLINE_COST, SCHEMA_DEPTH } from "./limits.ts";
import { mapSubschemas } from "./subschemas.ts";

/** Returns undefined if a reference would remain. */
export function inlineReferences(root: JsonObject): JsonObject | undefined {
  // The root id does not matter: a `#/` reference points into the same document.
  const { $id: _, ...schema } = root;
  if (mentions(OTHER_FORMS, schema)) return undefined;
  if (!mentions(REF, schema)) return root;
  const { $defs, definitions, ...applied } = schema;
  const expanded = new Expansion({ $defs, definitions }).of(applied);
  return mentions(REF, expanded) ? undefined : expanded;
}

const REF: ReadonlySet<string> = new Set(["$ref"]);
/** Other keywords that refer to a schema or make one a target. */
const OTHER_FORMS: ReadonlySet<string> = new Set([
  ...["$dynamicRef", "$recursiveRef"],
  ...["$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"],
]);
const PLAIN_REFERENCE = /^#\/(\$defs|definitions)\/([\w.-]+)$/;

/** Searches every value, even where no schema is expected. An object under such a name is a property, not a keyword. */
function mentions(keywords: ReadonlySet<string>, value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some((inner) => mentions(keywords, inner));
  if (!isJsonObject(value)) return false;
  for (const key in value) {
    const inner = value[key];
    if (typeof inner === "object" ? mentions(keywords, inner) : keywords.has(key)) return true;
  }
  return false;
}

/** Stops the expansion of a schema that refers to itself. */
const MAX_DEPTH = 100;

class Expansion {
  readonly #definitions: JsonObject;
  /** The cost that may still be copied. References beyond it remain. */
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
