/** Suggests completions for an argument of a tool: its name, or a value that its schema lists. Pure. */
import { isJsonObject, keywordList, keywordText, resolveSchema, toolParameters } from "@plugboard/contracts";
import type { Json, JsonObject, ToolParameter } from "@plugboard/contracts";
import type { Suggestion } from "../../command-line/complete-words.ts";

/** `given` are the preceding argument words. Their parameters are not suggested again, except lists. */
export function completeToolArgument(
  inputSchema: JsonObject,
  given: readonly string[],
  current: string,
): readonly Suggestion[] {
  const parameters = toolParameters(inputSchema);
  const equals = current.indexOf("=");
  const suggestions =
    equals < 0
      ? parameters.filter((parameter) => !isGiven(parameter, given)).map(suggestName)
      : parameters.flatMap((parameter) => suggestValues(parameter, inputSchema));
  return suggestions.filter(({ value }) => value.startsWith(current) && value !== current);
}

function isGiven({ name, schema }: ToolParameter, given: readonly string[]): boolean {
  return (
    schema["type"] !== "array" &&
    given.some((word) => [`${name}=`, `${name}:=`].some((start) => word.startsWith(start)))
  );
}

function suggestName({ name, required, schema }: ToolParameter): Suggestion {
  const about = [required ? "required" : "", keywordText(schema, "description") ?? ""].filter(Boolean).join(": ");
  return { value: `${name}=`, ...(about !== "" && { about }) };
}

function suggestValues({ name, schema }: ToolParameter, root: JsonObject): Suggestion[] {
  return valuesOf(schema, root).map((value) => ({ value: `${name}=${value}` }));
}

/** Returns the values of an enum, of the items of a list, or of alternatives. */
function valuesOf(schema: JsonObject, root: JsonObject): string[] {
  const { type, items } = schema;
  if (type === "boolean") return ["true", "false"];
  const parts = [
    schema,
    ...keywordList(schema, "anyOf"),
    ...keywordList(schema, "oneOf"),
    ...(isJsonObject(items) ? [items] : []),
  ];
  const values = parts.flatMap((part): readonly Json[] => {
    const resolved = resolveSchema(part, root);
    const { const: only } = resolved;
    return [...keywordList(resolved, "enum"), ...(only === undefined ? [] : [only])];
  });
  return values.filter((value) => value !== null && typeof value !== "object").map(String);
}
