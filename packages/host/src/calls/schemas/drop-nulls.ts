/**
 * Removes nulls from arguments. Some models send null for each optional argument that they leave out, whether its
 * schema allows null or not. Removes only a null that its schema provably refuses, so valid arguments never change.
 * Does not follow references. Keeps null items of a list. Pure.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

/** Returns the same object if there is nothing to remove. */
export function dropNulls(schema: JsonObject, args: JsonObject): JsonObject {
  return dropInObject(collectSchemas(schema), args);
}

function dropInValue(schemas: readonly JsonObject[], value: Json): Json {
  if (Array.isArray(value)) return dropInList(schemas, value);
  return isJsonObject(value) ? dropInObject(schemas, value) : value;
}

function dropInObject(schemas: readonly JsonObject[], value: JsonObject): JsonObject {
  const changed = new Map<string, Json | undefined>();
  for (const name of Object.keys(value)) {
    const inner = value[name];
    if (typeof inner !== "object") continue;
    const innerSchemas = schemas.flatMap(({ properties }) => collectSchemas(propertySchema(properties, name)));
    if (inner !== null) {
      const next = dropInValue(innerSchemas, inner);
      if (next !== inner) changed.set(name, next);
    } else if (innerSchemas.some(rejectsNull) && !schemas.some((schema) => requires(schema, name))) {
      changed.set(name, undefined);
    }
  }
  if (changed.size === 0) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, changed.has(name) ? changed.get(name) : inner]);
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}

function dropInList(schemas: readonly JsonObject[], list: Json[]): Json[] {
  const innerSchemas = schemas.flatMap(({ items, prefixItems }) =>
    prefixItems === undefined ? collectSchemas(items) : [],
  );
  if (innerSchemas.length === 0) return list;
  const next = list.map((item) => dropInValue(innerSchemas, item));
  return next.some((item, index) => item !== list[index]) ? next : list;
}

/**
 * Returns the schema and all schemas in its `allOf`, which a valid value must match too. Adds them to one list, because
 * copying a list at each level would take quadratic time.
 */
function collectSchemas(schema: Json | undefined, list: JsonObject[] = []): JsonObject[] {
  if (schema === false) list.push(NEVER);
  if (!isJsonObject(schema)) return list;
  list.push(schema);
  if (Array.isArray(schema["allOf"])) for (const part of schema["allOf"]) collectSchemas(part, list);
  return list;
}

/** Accepts no value, like the schema `false`. */
const NEVER: JsonObject = { enum: [] };

function rejectsNull(schema: JsonObject): boolean {
  const { type, nullable, enum: values, anyOf, oneOf } = schema;
  if (type !== undefined && ![type].flat().includes("null") && nullable !== true) return true;
  if (Array.isArray(values) && !values.includes(null)) return true;
  if (schema["const"] !== undefined && schema["const"] !== null) return true;
  return [anyOf, oneOf].some((branches) => Array.isArray(branches) && branches.every(branchRejectsNull));
}

function branchRejectsNull(branch: Json): boolean {
  return collectSchemas(branch).some(rejectsNull);
}

function requires({ required }: JsonObject, name: string): boolean {
  return Array.isArray(required) && required.includes(name);
}

function propertySchema(properties: Json | undefined, name: string): Json | undefined {
  return isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
