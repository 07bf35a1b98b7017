/** Decides whether a form can show a value, so that no part of it is hidden from the user. Pure. */
import { isJsonObject, alternativesOf, resolveSchema } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import { fieldKind, propertiesOf } from "./form-fields.ts";

/**
 * A schema that contains itself many times would take forever. Values that are not compared any more count as fitting.
 */
const MAX_COMPARED = 500;

export function fitsForm(
  schema: Json | undefined,
  value: Json | undefined,
  root: JsonObject,
  budget = { compared: MAX_COMPARED },
): boolean {
  if (value === undefined || budget.compared-- <= 0) return true;
  const resolved = resolveSchema(schema, root);
  const fits = (inner: Json | undefined, part: Json | undefined) => fitsForm(inner, part, root, budget);
  switch (fieldKind(resolved)) {
    case "string":
      return typeof value === "string";
    case "number":
    case "integer":
      // The field shows a text with the error that it is not a number.
      return typeof value === "number" || typeof value === "string";
    case "boolean":
      return typeof value === "boolean";
    case "enum":
      return (resolved["enum"] as readonly Json[]).some((one) => isSame(one, value));
    case "const":
      return isSame(resolved["const"]!, value);
    case "array":
      return Array.isArray(value) && value.every((item) => fits(resolved["items"], item));
    case "object":
      return isJsonObject(value) && objectFits(resolved, value, root, fits);
    case "alternatives":
      return alternativesOf(resolved).some((one) => fits(one, value));
    case "json":
      return true;
  }
}

/** The form has no field for a property that the schema does not name. */
function objectFits(
  schema: JsonObject,
  value: JsonObject,
  root: JsonObject,
  fits: (schema: Json | undefined, value: Json | undefined) => boolean,
): boolean {
  const properties = new Map(propertiesOf(schema, root).map((one) => [one.name, one.schema]));
  return Object.entries(value).every(([name, part]) => properties.has(name) && fits(properties.get(name), part));
}

function isSame(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
