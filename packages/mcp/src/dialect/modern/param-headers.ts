/**
 * Arguments that a tool wants to see in headers too (`x-mcp-header` in its
 * schema), so that what stands between us and the server can route by them. Pure.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { WireHeaders } from "../../wire/transport.ts";
import { encodeHeaderValue } from "./request-meta.ts";

export interface ParamHeader {
  readonly header: string;
  /** Where the argument is, property by property. */
  readonly path: readonly string[];
}

const KEYWORD = "x-mcp-header";
const ALLOWED_TYPES: readonly Json[] = ["string", "integer", "boolean"];
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Keywords whose values are data, not schemas. */
const DATA_KEYWORDS = new Set(["default", "enum", "const", "examples"]);

/** What is wrong makes the tool unusable: the server would refuse every call of it. */
export function parseParamHeaders(inputSchema: JsonObject): readonly ParamHeader[] | { readonly invalid: string } {
  const found: ParamHeader[] = [];
  const invalid = collectParamHeaders(inputSchema, [], found);
  if (invalid !== undefined) return { invalid };
  const names = new Set<string>();
  for (const { header } of found) {
    const name = header.toLowerCase();
    if (names.has(name)) return { invalid: `two of its arguments want the header ${name}` };
    names.add(name);
  }
  return found;
}

export function paramHeaders(declared: readonly ParamHeader[], args: JsonObject): WireHeaders {
  const headers: { [name: string]: string } = {};
  for (const { header, path } of declared) {
    const value = path.reduce<Json | undefined>((at, key) => (isJsonObject(at) ? at[key] : undefined), args);
    if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") {
      headers[`mcp-param-${header.toLowerCase()}`] = encodeHeaderValue(String(value));
    }
  }
  return headers;
}

function collectParamHeaders(
  schema: Json | undefined,
  path: readonly string[],
  found: ParamHeader[],
): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const header = schema[KEYWORD];
  if (header !== undefined) {
    const where = path.join(".");
    if (typeof header !== "string" || !HEADER_NAME.test(header))
      return `the header of its argument ${where} is not a name`;
    if (!ALLOWED_TYPES.includes(schema["type"] ?? null))
      return `its argument ${where} is of a type that can't be a header`;
    found.push({ header, path });
  }
  for (const [key, value] of Object.entries(schema)) {
    const invalid =
      key === "properties" && isJsonObject(value)
        ? firstResult(Object.entries(value), ([name, inner]) => collectParamHeaders(inner, [...path, name], found))
        : findMisplaced(key, value);
    if (invalid !== undefined) return invalid;
  }
  return undefined;
}

/** Anywhere but along `properties` it can't be told which value is meant. */
function findMisplaced(key: string, value: Json | undefined): string | undefined {
  if (key === KEYWORD || DATA_KEYWORDS.has(key)) return undefined;
  const inner = Array.isArray(value) ? value : isJsonObject(value) ? [value] : [];
  return firstResult(inner, (one) => {
    if (!isJsonObject(one)) return undefined;
    if (one[KEYWORD] !== undefined && key !== "properties")
      return `a header is wanted under "${key}", where no one value is`;
    return firstResult(Object.entries(one), ([name, deeper]) => findMisplaced(name, deeper));
  });
}

function firstResult<T, R>(values: readonly T[], test: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = test(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
