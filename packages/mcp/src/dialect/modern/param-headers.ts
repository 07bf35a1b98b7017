/**
 * Tool arguments that are also sent as HTTP headers (`x-mcp-header` in the tool's schema), so that proxies between us
 * and the server can route by them.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject, Tool } from "@plugboard/contracts";
import type { WireHeaders } from "../../wire/transport.ts";
import { decodeHeaderValue, encodeHeaderValue } from "./header-value.ts";

export interface ParamHeader {
  readonly header: string;
  /** The property names that lead to the argument. */
  readonly path: readonly string[];
}

const KEYWORD = "x-mcp-header";
const ALLOWED_TYPES: readonly Json[] = ["string", "integer", "boolean"];
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Keywords whose values are data, not schemas. */
const DATA_KEYWORDS = new Set(["default", "enum", "const", "examples"]);

/** The parameter headers of all listed tools of one session. */
export class ToolParamHeaders {
  readonly #byTool = new Map<string, readonly ParamHeader[]>();

  /** Stores the headers of a listed tool. Returns why the tool is unusable if its declaration is invalid. */
  update({ name, inputSchema }: Tool): string | undefined {
    this.#byTool.delete(name);
    const declared = parseParamHeaders(inputSchema);
    if ("invalid" in declared) return declared.invalid;
    if (declared.length > 0) this.#byTool.set(name, declared);
    return undefined;
  }

  forCall(tool: string, args: JsonObject): WireHeaders | undefined {
    const declared = this.#byTool.get(tool);
    return declared && paramHeaders(declared, args);
  }
}

/** Returns `invalid` with the reason if the server would reject every call of the tool. */
export function parseParamHeaders(inputSchema: JsonObject): readonly ParamHeader[] | { readonly invalid: string } {
  const found: ParamHeader[] = [];
  const invalid = collectParamHeaders(inputSchema, [], found);
  if (invalid !== undefined) return { invalid };
  const names = new Set<string>();
  for (const { header } of found) {
    const name = header.toLowerCase();
    if (names.has(name)) return { invalid: `two of its arguments use the header ${name}` };
    names.add(name);
  }
  return found;
}

export function paramHeaders(declared: readonly ParamHeader[], args: JsonObject): WireHeaders {
  const headers: { [name: string]: string } = {};
  for (const { header, path } of declared) {
    const value = headerArgument(args, path);
    if (value !== undefined) headers[headerName(header)] = encodeHeaderValue(String(value));
  }
  return headers;
}

/** Returns the first header of a client's call that does not repeat its argument, as an error message. */
export function paramHeaderMismatch(
  declared: readonly ParamHeader[],
  args: JsonObject,
  headers: { readonly [name: string]: string | string[] | undefined },
): string | undefined {
  for (const { header, path } of declared) {
    const value = headerArgument(args, path);
    // A header without its argument is ignored.
    if (value === undefined) continue;
    const name = headerName(header);
    const sent = headers[name];
    if (typeof sent !== "string") return `Header ${name} is missing`;
    const decoded = decodeHeaderValue(sent);
    if (decoded === undefined) return `Header ${name} is not valid base64`;
    const equal = typeof value === "number" ? Number(decoded) === value : decoded === String(value);
    if (!equal) return `Header ${name} does not match the argument ${path.join(".")}`;
  }
  return undefined;
}

function headerName(header: string): string {
  return `mcp-param-${header.toLowerCase()}`;
}

function headerArgument(args: JsonObject, path: readonly string[]): string | boolean | number | undefined {
  const value = path.reduce<Json | undefined>((parent, key) => (isJsonObject(parent) ? parent[key] : undefined), args);
  return typeof value === "string" || typeof value === "boolean" || typeof value === "number" ? value : undefined;
}

function collectParamHeaders(
  schema: Json | undefined,
  path: readonly string[],
  found: ParamHeader[],
): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const header = schema[KEYWORD];
  if (header !== undefined) {
    const argument = path.join(".");
    if (typeof header !== "string" || !HEADER_NAME.test(header))
      return `the header of its argument ${argument} is not a valid name`;
    if (!ALLOWED_TYPES.includes(schema["type"] ?? null))
      return `its argument ${argument} has a type that can't be sent as a header`;
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

/** Returns an error for a header declared outside of `properties`, where it does not belong to a single argument. */
function findMisplaced(key: string, value: Json | undefined): string | undefined {
  if (key === KEYWORD || DATA_KEYWORDS.has(key)) return undefined;
  const schemas = Array.isArray(value) ? value : [value];
  return firstResult(schemas, (schema) => {
    if (!isJsonObject(schema)) return undefined;
    if (schema[KEYWORD] !== undefined && key !== "properties")
      return `a header is declared under "${key}", which is not a single argument`;
    return firstResult(Object.entries(schema), ([innerKey, inner]) => findMisplaced(innerKey, inner));
  });
}

/** Returns the first result that is not undefined. */
function firstResult<T, R>(values: readonly T[], check: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = check(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
