/** The HTTP headers of a modern request. They repeat parts of its body. */
import type { WireHeaders } from "../../wire/transport.ts";
import { encodeHeaderValue } from "./header-value.ts";

/** The param that the `mcp-name` header of each method repeats. */
const NAME_PARAMS: { readonly [method: string]: string } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

export function requestHeaders(version: string, method: string, params: object = {}): WireHeaders {
  const nameParam = nameParamOf(method);
  const name = nameParam === undefined ? undefined : (params as { readonly [param: string]: unknown })[nameParam];
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": encodeHeaderValue(name) }),
  };
}

/** Returns undefined for a method without the `mcp-name` header. */
export function nameParamOf(method: string): string | undefined {
  return Object.hasOwn(NAME_PARAMS, method) ? NAME_PARAMS[method] : undefined;
}
