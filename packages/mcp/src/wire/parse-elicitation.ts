/** Parses an `elicitation/create` request of any published revision into a form or a URL to visit. */
import { isJsonObject, parseUrl } from "@plugboard/contracts";
import type { Choice, Elicitation, FormField, Json, JsonObject } from "@plugboard/contracts";
import { describeValue } from "../lib/describe-value.ts";

const MAX_FIELDS = 1000;
/** A person has to read the form, and every front end has to draw it. */
const MAX_CHARS = 128 * 1024;

/** Returns the reason as `invalid` if the request is malformed. The reason is sent to the server. */
export function parseElicitation(params: JsonObject): Elicitation | { readonly invalid: string } {
  const { mode, message, url, elicitationId, requestedSchema } = params;
  if (typeof message !== "string") return { invalid: '"message" is missing' };
  if (mode !== undefined && mode !== "form" && mode !== "url")
    return { invalid: `mode ${describeValue(mode)} is unknown` };
  const chars = countChars(params);
  if (chars === undefined) return { invalid: "it is nested too deep" };
  if (chars > MAX_CHARS) return { invalid: `it is longer than ${MAX_CHARS} characters` };
  if (mode === "url") {
    if (typeof url !== "string" || !isWebUrl(url)) return { invalid: '"url" is not an http(s) URL' };
    return { mode, message, url, ...(typeof elicitationId === "string" && { elicitationId }) };
  }
  if (!isJsonObject(requestedSchema) || !isJsonObject(requestedSchema["properties"])) {
    return { invalid: '"requestedSchema" has no "properties"' };
  }
  const required = new Set(Array.isArray(requestedSchema["required"]) ? requestedSchema["required"] : []);
  const fields: FormField[] = [];
  const properties = Object.entries(requestedSchema["properties"]);
  if (properties.length > MAX_FIELDS) return { invalid: `it has more than ${MAX_FIELDS} fields` };
  for (const [name, schema] of properties) {
    const field = isJsonObject(schema) ? parseField(name, schema, required.has(name)) : undefined;
    if (!field) return { invalid: `field ${describeValue(name)} has a schema that a form cannot show` };
    fields.push(field);
  }
  return { mode: "form", message, fields };
}

/** Returns undefined for a value that is nested too deep to be written as JSON. */
function countChars(params: JsonObject): number | undefined {
  try {
    return JSON.stringify(params).length;
  } catch {
    return undefined;
  }
}

function parseField(name: string, schema: JsonObject, required: boolean): FormField | undefined {
  const { type, title, description } = schema;
  const base = {
    name,
    required,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    ...(schema["default"] !== undefined && { default: schema["default"] }),
  };
  switch (type) {
    case "boolean":
      return { ...base, type };
    case "number":
    case "integer":
      return { ...base, type, ...pickNumbers(schema, "minimum", "maximum") };
    case "string": {
      const choices = parseChoices(schema);
      if (choices) return { ...base, type: "choice", choices };
      const { format } = schema;
      const text = { ...base, type, ...pickNumbers(schema, "minLength", "maxLength") } as const;
      return typeof format === "string" ? { ...text, format } : text;
    }
    case "array": {
      const choices = isJsonObject(schema["items"]) ? parseChoices(schema["items"]) : undefined;
      return choices && { ...base, type: "choices", choices, ...pickNumbers(schema, "minItems", "maxItems") };
    }
    default:
      return undefined;
  }
}

/** Accepts `enum` with or without `enumNames`, and `oneOf`/`anyOf` of `{const, title}`. */
function parseChoices(schema: JsonObject): Choice[] | undefined {
  const { enum: values, enumNames, oneOf, anyOf } = schema;
  if (Array.isArray(values)) {
    if (!values.every((value) => typeof value === "string")) return undefined;
    const titles: Json[] = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, index) => ({ value, title: typeof titles[index] === "string" ? titles[index] : value }));
  }
  const options = oneOf ?? anyOf;
  if (!Array.isArray(options)) return undefined;
  const choices: Choice[] = [];
  for (const option of options) {
    if (!isJsonObject(option) || typeof option["const"] !== "string") return undefined;
    const { const: value, title } = option;
    choices.push({ value, title: typeof title === "string" ? title : value });
  }
  return choices;
}

function pickNumbers<Key extends string>(schema: JsonObject, ...keys: Key[]): { [K in Key]?: number } {
  const found: { [K in Key]?: number } = {};
  for (const key of keys) {
    const value = schema[key];
    if (typeof value === "number") found[key] = value;
  }
  return found;
}

function isWebUrl(text: string): boolean {
  const protocol = parseUrl(text)?.protocol;
  return protocol === "https:" || protocol === "http:";
}
