/**
 * Generates the JSON Schema of a config file, for editors. Built from the fields that validation uses, with every
 * accepted spelling. `docs/config.schema.json` is a copy of it.
 */
import * as z from "zod/mini";
import {
  AUTH_TYPES,
  authRows,
  ENTRY_KEYS,
  entryRows,
  NAMINGS,
  TRANSPORT_SPELLINGS,
  TRANSPORTS,
} from "@plugboard/contracts";
import type { EntryKey, JsonObject } from "@plugboard/contracts";
import { optionalAuthField } from "./auth-fields.ts";
import { fieldFor } from "./entry-fields.ts";
import { ENTRY_TABLE, NESTED_TABLES, spellingsOf } from "./entry-keys.ts";
import type { KeyMapping } from "./entry-keys.ts";
import {
  FILE_SECTIONS,
  GATEWAY_KEYS,
  MODEL_KEYS,
  NAME_PATTERN,
  PERMISSION_KEYS,
  PROFILE_KEYS,
} from "../sections/section-keys.ts";
import type { SectionKeys, SectionRow } from "../sections/section-keys.ts";
import { SANDBOX_SCHEMA } from "../sandbox/sandbox-setting.ts";
import { VALUE_TYPES } from "../sections/section-values.ts";

export function configSchema(): JsonObject {
  const servers = {
    type: "object",
    description: FILE_SECTIONS.servers.description,
    propertyNames: { pattern: NAME_PATTERN },
    additionalProperties: ref("server"),
  };
  const { servers: _, ...others } = FILE_SECTIONS;
  const sections = Object.fromEntries(Object.keys(others).map((section) => [section, ref(section)]));
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Plugboard config file",
    type: "object",
    properties: {
      $schema: { type: "string" },
      version: { const: 1, description: "The version of this format." },
      mcp: object({ servers, ...sections }),
      mcpServers: { ...servers, description: "The servers, in a file that several clients share." },
      servers: { ...servers, description: "The servers, in a file without an mcp section." },
      ...sections,
    },
    additionalProperties: false,
    definitions: {
      server: serverSchema(),
      auth: authSchema(["type"]),
      oauth: authSchema([]),
      value: valueSchema(),
      permissions: describe("permissions", sectionSchema(PERMISSION_KEYS)),
      naming: describe("naming", { enum: [...NAMINGS] }),
      profiles: describe("profiles", mapSchema(PROFILE_KEYS, NAME_PATTERN)),
      gateway: describe("gateway", sectionSchema(GATEWAY_KEYS)),
      sandbox_default: describe("sandbox_default", SANDBOX_SCHEMA),
      terminal_sandbox: describe("terminal_sandbox", SANDBOX_SCHEMA),
      // The name of a model alone is accepted, too.
      model: describe("model", { anyOf: [VALUE_TYPES.model_id.schema, sectionSchema(MODEL_KEYS)] }),
    },
  };
}

function describe(section: keyof typeof FILE_SECTIONS, schema: JsonObject): JsonObject {
  return { ...schema, description: FILE_SECTIONS[section].description };
}

function sectionSchema(keys: SectionKeys): JsonObject {
  const required = Object.keys(keys).filter((key) => keys[key]!.required);
  const properties = Object.entries(keys).map(([key, row]) => [key, rowSchema(row)] as const);
  return { ...object(Object.fromEntries(properties)), ...(required.length > 0 && { required }) };
}

function rowSchema({ type, keys = {}, names, description }: SectionRow): JsonObject {
  const schema =
    type === "object"
      ? sectionSchema(keys)
      : type === "map"
        ? mapSchema(keys, names?.pattern)
        : VALUE_TYPES[type].schema;
  return description === undefined ? schema : withDescription(schema, description);
}

function mapSchema(keys: SectionKeys, pattern: string | undefined): JsonObject {
  return {
    type: "object",
    ...(pattern !== undefined && { propertyNames: { pattern } }),
    additionalProperties: sectionSchema(keys),
  };
}

/** Returns the schema of each key in Plugboard's own spelling. */
export function entryKeySchemas(): { [key: string]: JsonObject } {
  return Object.fromEntries(entryRows().map(([key, row]) => [key, withDescription(keySchema(key), row.description)]));
}

function keySchema(key: EntryKey): JsonObject {
  if (key === "transport") return { enum: [...Object.keys(TRANSPORTS), ...Object.keys(TRANSPORT_SPELLINGS)] };
  if (key === "sandbox") return SANDBOX_SCHEMA;
  return key === "auth" ? ref("auth") : fieldSchema(fieldFor(ENTRY_KEYS[key])!);
}

/** Accepts every key in every spelling. Reading the file reports keys that do not fit together. */
function serverSchema(): JsonObject {
  const schemaOf = ([key, inner]: KeyMapping["path"]): JsonObject => {
    const schema = keySchema(key as EntryKey);
    return inner === undefined ? schema : (schema["properties"] as { [key: string]: JsonObject })[inner]!;
  };
  const properties: { [key: string]: JsonObject } = {};
  for (const [key, schema] of Object.entries(entryKeySchemas())) {
    for (const spelling of spellingsOf(key)) properties[spelling] = schema;
  }
  for (const [alias, { path, inputSchema }] of Object.entries(ENTRY_TABLE.aliases)) {
    const description = `Read as "${path.join(".")}".`;
    const schema = alias === "oauth" ? ref("oauth") : (inputSchema ?? schemaOf(path));
    for (const spelling of spellingsOf(alias)) properties[spelling] = withDescription(schema, description);
  }
  // An entry needs at least one of these keys.
  const identifyingKeys = ["command", "url", "name", "enabled"];
  const aliases = Object.entries(ENTRY_TABLE.aliases).filter(([, { path }]) => identifyingKeys.includes(path[0]));
  const spellings = [...identifyingKeys, ...aliases.map(([alias]) => alias)].flatMap(spellingsOf);
  return {
    type: "object",
    properties,
    additionalProperties: false,
    anyOf: spellings.map((spelling) => ({ required: [spelling] })),
  };
}

function authSchema(required: string[]): JsonObject {
  const types = { enum: Object.keys(AUTH_TYPES).flatMap(spellingsOf), description: "The type of login." };
  const properties: { [key: string]: JsonObject } = { type: types };
  for (const [key, row] of authRows()) {
    const schema = withDescription(fieldSchema(optionalAuthField(row)), row.description);
    for (const spelling of spellingsOf(key)) properties[spelling] = schema;
  }
  for (const [alias, { path, inputSchema }] of Object.entries(NESTED_TABLES.get("auth")!.aliases)) {
    if (Object.hasOwn(properties, alias)) continue;
    const { description: _, ...schema } = inputSchema ?? properties[path[0]]!;
    for (const spelling of spellingsOf(alias)) properties[spelling] = withDescription(schema, `Read as "${path[0]}".`);
  }
  return { type: "object", properties, additionalProperties: false, ...(required.length > 0 && { required }) };
}

/** Returns the schema of each type of login, in Plugboard's own spelling. */
export function authTypeSchemas(): JsonObject[] {
  return Object.keys(AUTH_TYPES).map((type) => {
    const rows = authRows().filter(([, { of }]) => Object.hasOwn(of, type));
    const properties = rows.map(([key, row]) => [
      key,
      withDescription(fieldSchema(optionalAuthField(row)), row.description),
    ]);
    const required = rows.filter(([, { of }]) => Object.entries(of).some(([t, is]) => t === type && is === "required"));
    return {
      type: "object",
      required: ["type", ...required.map(([key]) => key)],
      properties: { type: { const: type }, ...Object.fromEntries(properties) },
    };
  });
}

function valueSchema(): JsonObject {
  const text = { type: "string", minLength: 1 };
  const objectWithOnly = (key: string, value: JsonObject) => ({ ...object({ [key]: value }), required: [key] });
  return {
    anyOf: [
      { type: "string" },
      objectWithOnly("$secret", { ...text, description: "The name of a secret in the keyring." }),
      objectWithOnly("$file", { ...text, description: "A file that contains the secret." }),
      objectWithOnly("$cmd", {
        type: "array",
        items: { type: "string" },
        minItems: 1,
        description: "A program that prints the secret.",
      }),
    ],
  };
}

function fieldSchema(field: z.ZodMiniType): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(field, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      // Every other custom field is a string or a reference to a secret.
      if (zodSchema._zod.def.type === "custom") Object.assign(jsonSchema, ref("value"));
    },
  });
  return schema as JsonObject;
}

function withDescription(schema: JsonObject, description: string): JsonObject {
  // Validators ignore keys beside `$ref`, so `allOf` wraps the reference.
  return "$ref" in schema ? { description, allOf: [schema] } : { ...schema, description };
}

function object(properties: { [key: string]: JsonObject }): JsonObject {
  return { type: "object", properties, additionalProperties: false };
}

function ref(name: string): JsonObject {
  return { $ref: `#/definitions/${name}` };
}
