/**
 * Converts a tool's input schema to a schema that model providers accept. They reject a whole request for one bad
 * schema. The result is an object schema of limited size without alternatives at the top level. If a schema can't be
 * converted, the result accepts any object.
 */
import { isJsonObject, resolveRef } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { rewriteSchema } from "./rewrite-schema.ts";
import type { RewriteSchemaOptions } from "./rewrite-schema.ts";

export interface ModelSchemaOptions extends RewriteSchemaOptions {
  /** Matches the allowed parameter names. Other parameters are removed. */
  readonly allowedKeys?: RegExp;
}

/** Matches the types of the model providers' SDKs. */
export type ObjectSchema = JsonObject & {
  readonly type: "object";
  readonly properties?: JsonObject;
  readonly required?: string[];
};

/** The size of the result as JSON. */
const MAX_CHARACTERS = 64 * 1024;
const MAX_DEPTH = 64;
/** Limits the alternatives that are merged, and how deeply they may contain other alternatives. */
const MAX_BRANCHES = 50;
const MAX_BRANCH_DEPTH = 2;

export function modelSchema(schema: unknown, options: ModelSchemaOptions = {}): ObjectSchema {
  const anything: ObjectSchema = {
    type: "object",
    ...(options.fillMissing && { properties: {} }),
    additionalProperties: true,
  };
  if (!isJsonObject(schema) || isTooLarge(schema)) return anything;
  const flattened = flatten(schema, schema);
  if (![flattened["type"] ?? "object"].flat().includes("object")) return anything;
  const rewritten = rewriteSchema({ ...filterKeys(flattened, options.allowedKeys), type: "object" }, options);
  if (!rewritten || JSON.stringify(rewritten).length > MAX_CHARACTERS) return anything;
  return isObjectSchema(rewritten) ? rewritten : anything;
}

function isObjectSchema(schema: JsonObject): schema is ObjectSchema {
  const { type, properties = {}, required = [] } = schema;
  return (
    type === "object" &&
    isJsonObject(properties) &&
    Array.isArray(required) &&
    stringsOf(required).length === required.length
  );
}

/** Stops at the limit, because a schema may be as large as a message. */
function isTooLarge(schema: JsonObject): boolean {
  const stack: { value: Json | undefined; depth: number }[] = [{ value: schema, depth: 1 }];
  let characters = 0;
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, depth } = next;
    characters += typeof value === "string" ? value.length + 2 : 1;
    if (characters > MAX_CHARACTERS || depth > MAX_DEPTH + 1) return true;
    if (Array.isArray(value)) {
      if (value.length > MAX_CHARACTERS) return true;
      for (const inner of value) stack.push({ value: inner, depth: depth + 1 });
    } else if (isJsonObject(value)) {
      for (const key in value) {
        characters += key.length + 3;
        if (characters > MAX_CHARACTERS) return true;
        stack.push({ value: value[key], depth: depth + 1 });
      }
    }
  }
  return false;
}

/**
 * Merges `anyOf`, `oneOf` and `allOf` into one object schema, with the properties of all branches. Of alternatives,
 * only properties that every alternative requires stay required. Drops `not`, `enum` and `const`, which providers
 * reject at the top level.
 */
function flatten(schema: JsonObject, root: JsonObject, depth = 0): JsonObject {
  const { anyOf, oneOf, allOf, not: _not, enum: _enum, const: _const, ...own } = withoutRef(schema, root);
  const branchesOf = (list: Json | undefined) =>
    Array.isArray(list) && depth < MAX_BRANCH_DEPTH
      ? list
          .slice(0, MAX_BRANCHES)
          .filter(isJsonObject)
          .map((branch) => flatten(branch, root, depth + 1))
      : [];
  const choices = [branchesOf(anyOf), branchesOf(oneOf)];
  const all = branchesOf(allOf);
  const properties = mergedProperties(own, [...choices.flat(), ...all]);
  const required = [...stringsOf(own["required"]), ...all.flatMap(requiredOf), ...choices.flatMap(requiredByAll)];
  return {
    ...own,
    ...(properties && { properties }),
    ...(required.length > 0 && { required }),
  };
}

/** Replaces a reference at the top with its target. Drops a reference in the target itself. */
function withoutRef(schema: JsonObject, root: JsonObject): JsonObject {
  const { $ref: ref, ...own } = schema;
  const target = typeof ref === "string" ? resolveRef(root, ref) : undefined;
  if (!target) return own;
  const { $ref: _further, ...referred } = target;
  return { ...referred, ...own };
}

/** If alternatives define a property differently, the merged property may match any of them. Own properties win. */
function mergedProperties(own: JsonObject, branches: readonly JsonObject[]): JsonObject | undefined {
  const ownProperties = isJsonObject(own["properties"]) ? own["properties"] : {};
  const variants = new Map<string, Json[]>();
  for (const { properties } of branches) {
    for (const [key, schema] of isJsonObject(properties) ? Object.entries(properties) : []) {
      if (!Object.hasOwn(ownProperties, key)) variants.set(key, [...(variants.get(key) ?? []), schema ?? {}]);
    }
  }
  if (variants.size === 0) return isJsonObject(own["properties"]) ? ownProperties : undefined;
  const merged = [...variants].map(([key, schemas]): [string, Json] => {
    const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
    return [key, distinct.length === 1 ? distinct[0]! : { anyOf: distinct }];
  });
  return Object.fromEntries([...Object.entries(ownProperties), ...merged]);
}

function requiredOf({ required }: JsonObject): string[] {
  return stringsOf(required);
}

function requiredByAll(branches: readonly JsonObject[]): string[] {
  const [first, ...others] = branches.map(requiredOf);
  return (first ?? []).filter((key) => others.every((keys) => keys.includes(key)));
}

function stringsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function filterKeys(schema: JsonObject, allowed: RegExp | undefined): JsonObject {
  const { properties, required } = schema;
  if (!allowed || !isJsonObject(properties)) return schema;
  const left = Object.entries(properties).filter(([key]) => allowed.test(key));
  if (left.length === Object.keys(properties).length) return schema;
  return {
    ...schema,
    properties: Object.fromEntries(left),
    required: stringsOf(required).filter((key) => allowed.test(key)),
    // The model may know the removed parameters from the description.
    additionalProperties: true,
  };
}
