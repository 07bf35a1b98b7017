/**
 * Replaces the references in a schema with the schemas they refer to. So `assess-risk.ts` and Ajv see the same schema,
 * and can't resolve a reference differently. Replaces only `#/$defs/name` and `#/definitions/name`, in a schema whose
 * parts have no ids or anchors.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { dataCost } from "./data-cost.ts";
import { MAX_MAIN_THREAD_SCHEMA_COST, MAX_SCHEMA_DEPTH } from "./check-limits.ts";
import { mapSubschemas } from "./json-schema.ts";

/** Returns undefined if a reference would remain. */
export function inlineReferences(root: JsonObject): JsonObject | undefined {
  // The root id does not matter: a `#/` reference points into the same document.
  const { $id: _, ...schema } = root;
  if (containsKeyword(OTHER_REFERENCE_KEYWORDS, schema)) return undefined;
  if (!containsKeyword(REF_KEYWORD, schema)) return root;
  const { $defs, definitions, ...applied } = schema;
  const expanded = new Expansion({ $defs, definitions }).expand(applied);
  return containsKeyword(REF_KEYWORD, expanded) ? undefined : expanded;
}

const REF_KEYWORD: ReadonlySet<string> = new Set(["$ref"]);
/** Other keywords that refer to a schema, or that make a schema the target of references. */
const OTHER_REFERENCE_KEYWORDS: ReadonlySet<string> = new Set([
  ...["$dynamicRef", "$recursiveRef"],
  ...["$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"],
]);
const PLAIN_REFERENCE = /^#\/(\$defs|definitions)\/([\w.-]+)$/;

/**
 * Searches every value, even where no schema is expected. A key whose value is an object is taken for the name of a
 * property, not for a keyword.
 */
function containsKeyword(keywords: ReadonlySet<string>, value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some((inner) => containsKeyword(keywords, inner));
  if (!isJsonObject(value)) return false;
  for (const key in value) {
    const inner = value[key];
    if (typeof inner === "object" ? containsKeyword(keywords, inner) : keywords.has(key)) return true;
  }
  return false;
}

/** Stops the expansion of a schema that refers to itself. */
const MAX_DEPTH = 100;

class Expansion {
  readonly #definitions: JsonObject;
  /** The total cost of schemas that may still be copied. When it is used up, references are no longer replaced. */
  #budget = MAX_MAIN_THREAD_SCHEMA_COST;

  constructor(definitions: JsonObject) {
    this.#definitions = definitions;
  }

  expand(schema: JsonObject, depth = 0): JsonObject {
    if (depth > MAX_DEPTH) return schema;
    const expandInner = (inner: JsonObject) => this.expand(inner, depth + 1);
    const { $ref, ...others } = schema;
    const target = typeof $ref === "string" ? this.#resolve($ref) : undefined;
    if (target === undefined) return mapSubschemas(schema, expandInner);
    const { allOf, ...siblings } = mapSubschemas(others, expandInner);
    const referred = isJsonObject(target) ? expandInner(target) : target;
    return { ...siblings, allOf: allOf === undefined ? [referred] : [{ allOf }, referred] };
  }

  #resolve(reference: string): Json | undefined {
    const [, keyword = "", name = ""] = PLAIN_REFERENCE.exec(reference) ?? [];
    const definitions = this.#definitions[keyword];
    const found = isJsonObject(definitions) && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (!isJsonObject(found) && typeof found !== "boolean") return undefined;
    this.#budget -= dataCost(found, { budget: this.#budget, depth: MAX_SCHEMA_DEPTH, readsText: true });
    return this.#budget < 0 ? undefined : found;
  }
}
