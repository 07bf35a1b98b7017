/** Lists the parameters of a tool by its input schema, also those behind references and alternatives. Pure. */
import { isJsonObject } from "../lib/json.ts";
import type { JsonObject } from "../lib/json.ts";
import { keywordList, resolveSchema } from "./resolve-schema.ts";

export interface ToolParameter {
  readonly name: string;
  readonly required: boolean;
  /** The parameter's schema. It is no reference itself, but may have references inside. */
  readonly schema: JsonObject;
}

/** The maximum of schemas that are read. Without it, alternatives that refer to each other could take any time. */
const MAX_SCHEMAS = 500;

/** Returns the required parameters first, otherwise in the order of the schema. */
export function toolParameters(inputSchema: JsonObject): ToolParameter[] {
  const found = new Map<string, ToolParameter>();
  collect(inputSchema, { root: inputSchema, found, budget: { schemas: MAX_SCHEMAS }, mayRequire: true });
  const all = [...found.values()];
  return [...all.filter(({ required }) => required), ...all.filter(({ required }) => !required)];
}

/** Returns whether the schema rejects arguments that are not among its parameters. */
export function rejectsUnknownArguments(inputSchema: JsonObject): boolean {
  const { additionalProperties, patternProperties } = resolveSchema(inputSchema, inputSchema);
  return additionalProperties === false && patternProperties === undefined;
}

interface Collection {
  readonly root: JsonObject;
  readonly found: Map<string, ToolParameter>;
  /** The number of schemas that may still be read. Shared by all steps. */
  readonly budget: { schemas: number };
  /** False within an alternative, because a call may use another alternative instead. */
  readonly mayRequire: boolean;
}

function collect(schema: JsonObject, collection: Collection): void {
  const { root, found, budget, mayRequire } = collection;
  if (budget.schemas-- <= 0) return;
  const resolved = resolveSchema(schema, root);
  const required = new Set(mayRequire ? keywordList(resolved, "required") : []);
  const properties = isJsonObject(resolved["properties"]) ? resolved["properties"] : {};
  for (const [name, property] of Object.entries(properties)) {
    const known = found.get(name);
    const isRequired = required.has(name) || known?.required === true;
    found.set(name, { name, required: isRequired, schema: known?.schema ?? resolveSchema(property, root) });
  }
  for (const name of required) {
    const known = typeof name === "string" ? found.get(name) : undefined;
    if (typeof name === "string") found.set(name, { name, required: true, schema: known?.schema ?? {} });
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const inner = { ...collection, mayRequire: mayRequire && keyword === "allOf" };
    for (const part of keywordList(resolved, keyword)) {
      if (budget.schemas <= 0) return;
      if (isJsonObject(part)) collect(part, inner);
    }
  }
}
