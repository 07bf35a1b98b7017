/**
 * Makes the definition of a tool valid for a client, because one invalid tool makes official clients reject the whole
 * list. Repairs the parts that servers get wrong, and leaves out optional ones that are invalid.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, Tool } from "@plugboard/contracts";
import type { Revision } from "@plugboard/mcp";
import { strictDescription } from "./strict-description.ts";

const TASK_SUPPORT: ReadonlySet<Json | undefined> = new Set(["forbidden", "optional", "required"]);

export function strictTool(name: string, definition: Tool, { hasAnyStructure }: Revision): JsonObject {
  const { inputSchema, outputSchema, taskOnly, execution, ...others } = definition as Tool & JsonObject;
  const output = hasAnyStructure ? outputSchema && strictSchemaUri(outputSchema) : strictOutput(outputSchema);
  const isKnownExecution = isJsonObject(execution) && TASK_SUPPORT.has(execution["taskSupport"] ?? "forbidden");
  return {
    ...strictDescription(others),
    name,
    inputSchema: hasAnyStructure ? strictInput(inputSchema) : strictProperties(strictInput(inputSchema)),
    ...(output && { outputSchema: output }),
    // Official clients refuse to call a task-only tool without a task, but the gateway follows the task for them.
    ...(isKnownExecution && { execution: taskOnly ? { ...execution, taskSupport: "optional" } : execution }),
  };
}

/** The arguments of a tool are always an object, whether the schema says so or not. */
function strictInput(schema: JsonObject): JsonObject {
  return strictSchemaUri(schema["type"] === "object" ? schema : { ...schema, type: "object" });
}

/** Older revisions know only objects as results. */
function strictOutput(schema: JsonObject | undefined): JsonObject | undefined {
  return schema?.["type"] === "object" ? strictProperties(strictSchemaUri(schema)) : undefined;
}

function strictSchemaUri(schema: JsonObject): JsonObject {
  const { $schema: uri, ...others } = schema;
  return uri === undefined || typeof uri === "string" ? schema : others;
}

/** Older revisions want an object for each property, but JSON Schema also allows true and false. */
function strictProperties(schema: JsonObject): JsonObject {
  const { properties, required, ...others } = schema;
  const isValid =
    (properties === undefined || (isJsonObject(properties) && Object.values(properties).every(isJsonObject))) &&
    (required === undefined || isStringList(required));
  if (isValid) return schema;
  const entries = isJsonObject(properties) ? Object.entries(properties) : [];
  return {
    ...others,
    properties: Object.fromEntries(entries.map(([key, value]) => [key, strictProperty(value)])),
    ...(Array.isArray(required) && { required: required.filter((key) => typeof key === "string") }),
  };
}

function strictProperty(value: Json | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  return value === false ? { not: {} } : {};
}

function isStringList(value: Json): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
