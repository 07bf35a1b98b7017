/** Describes a tool's parameter as the field of a form, so that a person can be asked for its value. Pure. */
import { allowedTypes, allowedValues, renderType, resolveSchema, keywordText } from "@plugboard/contracts";
import type { FormField, Json, JsonObject, ToolParameter } from "@plugboard/contracts";

/** A parameter that no field fits, such as an object, becomes a text field. Its description says how to write it. */
export function parameterField({ name, schema }: Pick<ToolParameter, "name" | "schema">, root: JsonObject): FormField {
  const base = {
    name,
    required: true,
    ...(keywordText(schema, "title") !== undefined && { title: keywordText(schema, "title")! }),
    ...(keywordText(schema, "description") !== undefined && { description: keywordText(schema, "description")! }),
    ...(schema["default"] !== undefined && { default: schema["default"] }),
  };
  const choices = toChoices(schema, root);
  if (choices) return { ...base, type: "choice", choices };
  const [type, ...others] = allowedTypes(schema, root).filter((allowed) => allowed !== "null");
  if (others.length === 0 && type === "boolean") return { ...base, type };
  if (others.length === 0 && (type === "number" || type === "integer"))
    return { ...base, type, ...pickNumbers(schema, ["minimum", "maximum"]) };
  if (type === "string" && others.length === 0)
    return { ...base, type, ...pickNumbers(schema, ["minLength", "maxLength"]) };
  const itemChoices = type === "array" ? toChoices(resolveSchema(schema["items"], root), root) : undefined;
  if (itemChoices) return { ...base, type: "choices", choices: itemChoices };
  const form =
    type === undefined || others.includes("string")
      ? "text or JSON"
      : type === "array"
        ? "one element, or a list as JSON"
        : "JSON";
  const description = [base.description, `${form}: ${renderType(schema, root)}`].filter(Boolean).join("\n");
  return { ...base, type: "string", description };
}

/** Returns undefined unless the schema lists the allowed values, and all of them are texts. */
function toChoices(schema: JsonObject, root: JsonObject): { value: string; title: string }[] | undefined {
  const values = allowedValues(schema, root)?.filter((value) => value !== null) ?? [];
  const texts = values.filter((value): value is string => typeof value === "string");
  if (texts.length === 0 || texts.length < values.length) return undefined;
  return texts.map((value) => ({ value, title: value }));
}

function pickNumbers<Key extends string>(schema: JsonObject, keys: readonly Key[]): { [K in Key]?: number } {
  const entries = keys.map((key): [Key, Json | undefined] => [key, schema[key]]);
  return Object.fromEntries(entries.filter(([, value]) => typeof value === "number")) as { [K in Key]?: number };
}
