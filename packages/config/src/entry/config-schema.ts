/**
 * Generates the JSON Schema of a config file, for editors. Built from the fields that validation uses, with every
 * accepted spelling. `docs/config.schema.json` is a copy of it.
 */
import * as z from "zod/mini";
import { ENTRY_KEYS, entryRows, NAMINGS } from "@plugboard/contracts";
import type { EntryKey, JsonObject } from "@plugboard/contracts";
import { AUTH_TYPES } from "./auth-fields.ts";
import { fieldFor } from "./entry-fields.ts";
import { AUTH_KEYS, ENTRY_TABLE, NESTED_TABLES, spellingsOf } from "./entry-keys.ts";
import type { KeyMapping } from "./entry-keys.ts";
import { AUTH_DESCRIPTIONS } from "./key-descriptions.ts";
import { TRANSPORT_SPELLINGS } from "./transport-names.ts";

const AUTH_FIELDS: { readonly [key: string]: z.ZodMiniType } = Object.assign(
  {},
  ...Object.values(AUTH_TYPES).map(({ shape }) => shape),
);

const NAME_SCHEMA = { pattern: "^[a-zA-Z0-9_-]{1,64}$" };

export function configSchema(): JsonObject {
  const servers = {
    type: "object",
    description: "The servers by id.",
    propertyNames: NAME_SCHEMA,
    additionalProperties: ref("server"),
  };
  const sections = {
    permissions: ref("permissions"),
    naming: ref("naming"),
    profiles: ref("profiles"),
    gateway: ref("gateway"),
    model: ref("model"),
  };
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
      permissions: {
        ...object({ allow: list(RULE_SCHEMA), ask: list(RULE_SCHEMA), deny: list(RULE_SCHEMA) }),
        description: "Rules that allow, ask about or deny tool calls.",
      },
      naming: { enum: [...NAMINGS], description: "The format of tool names that models see." },
      profiles: {
        type: "object",
        description: "Named views of the catalog, for the gateway.",
        propertyNames: NAME_SCHEMA,
        additionalProperties: object({
          servers: list({ type: "string", ...NAME_SCHEMA }),
          tools: object({ include: list(RULE_SCHEMA), exclude: list(RULE_SCHEMA) }),
          permissions: ref("permissions"),
          naming: { enum: ["{server}__{tool}", "{tool}"], description: "{tool} needs exactly one server." },
          cwd: { type: "string", pattern: "^(/|~/|~$|[A-Za-z]:[\\\\/])", description: "The folder of HTTP clients." },
          max_result_bytes: { type: "integer", minimum: 1000, description: "The most bytes of text in a result." },
        }),
      },
      gateway: gatewaySchema(),
      model: modelSchema(),
    },
  };
}

function gatewaySchema(): JsonObject {
  const url = { type: "string", pattern: "^https?://" };
  const auth = {
    issuer: { ...url, description: "The URL of the authorization server, as in the claim `iss` of its tokens." },
    audience: {
      anyOf: [{ type: "string" }, { ...list({ type: "string" }), minItems: 1 }],
      description: "The accepted values of the claim `aud`. Usually the URL of the gateway.",
    },
    scopes: {
      type: "object",
      minProperties: 1,
      additionalProperties: { type: "string", pattern: "^(\\*|[a-zA-Z0-9_-]{1,64})$" },
      description: "The profile that each scope opens. `*` stands for all servers.",
    },
    jwks_uri: { ...url, description: "The keys of the issuer. By default the URL in the issuer's metadata." },
    approve_scope: { type: "string", description: "Holders of this scope may approve calls in their own client." },
  };
  const limit = { type: "integer", minimum: 1, description: "The limit of requests per second of each client." };
  return {
    ...object({ auth: { ...object(auth), required: ["issuer", "audience", "scopes"] }, requests_per_second: limit }),
    description: "How clients of the gateway over HTTP are identified and limited.",
  };
}

function modelSchema(): JsonObject {
  const id = { type: "string", pattern: "^[^/\\s]+/\\S+$" };
  const amount = { type: "number", minimum: 0 };
  const price = {
    ...object({ input: amount, output: amount, cache_read: amount, cache_write: amount }),
    required: ["input", "output"],
    description: "In US dollars per million tokens.",
  };
  const contextTokens = { type: "integer", minimum: 1, description: "The size of the context window." };
  const provider = object({
    base_url: { type: "string", pattern: "^https?://", description: "The URL of an OpenAI-compatible API." },
    api_key: { description: "The API key, usually a reference to a secret or a variable.", allOf: [ref("value")] },
    models: { type: "object", additionalProperties: object({ context_tokens: contextTokens, price }) },
  });
  const providers = {
    type: "object",
    propertyNames: { pattern: "^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$" },
    additionalProperties: provider,
    description: "The providers of models by name.",
  };
  const section = object({ default: { ...id, description: "The model of chats, as provider/model." }, providers });
  return { anyOf: [id, section], description: "The model of chats, and where models are reached." };
}

const RULE_SCHEMA: JsonObject = { type: "string", pattern: "^(\\*|[a-zA-Z0-9_*-]+:.+)$" };

/** Returns the schema of each key in Plugboard's own spelling. */
export function entryKeySchemas(): { [key: string]: JsonObject } {
  return Object.fromEntries(entryRows().map(([key, row]) => [key, withDescription(keySchema(key), row.description)]));
}

function keySchema(key: EntryKey): JsonObject {
  if (key === "transport") return { enum: [...TRANSPORT_SPELLINGS] };
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
  const properties: { [key: string]: JsonObject } = {};
  for (const key of AUTH_KEYS) {
    const schema =
      key === "type" ? { enum: Object.keys(AUTH_TYPES).flatMap(spellingsOf) } : fieldSchema(AUTH_FIELDS[key]!);
    for (const spelling of spellingsOf(key)) properties[spelling] = withDescription(schema, AUTH_DESCRIPTIONS[key]);
  }
  for (const [alias, { path, inputSchema }] of Object.entries(NESTED_TABLES.get("auth")!.aliases)) {
    if (Object.hasOwn(properties, alias)) continue;
    const schema = inputSchema ?? fieldSchema(AUTH_FIELDS[path[0]]!);
    for (const spelling of spellingsOf(alias)) properties[spelling] = withDescription(schema, `Read as "${path[0]}".`);
  }
  return { type: "object", properties, additionalProperties: false, ...(required.length > 0 && { required }) };
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
      // Every custom field is a string or a reference to a secret.
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

function list(items: JsonObject): JsonObject {
  return { type: "array", items };
}

function ref(name: string): JsonObject {
  return { $ref: `#/definitions/${name}` };
}
