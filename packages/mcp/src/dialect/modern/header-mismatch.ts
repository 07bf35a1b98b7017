/** Checks that the headers of a modern HTTP request match its body. Returns the first mismatch. Ignores `mcp-param-*`. */
import { isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { META_KEYS } from "../../wire/meta-keys.ts";
import { decodeHeaderValue } from "./header-value.ts";
import { nameParamOf } from "./request-headers.ts";

type RequestHeaders = { readonly [name: string]: string | string[] | undefined };

export function headerMismatch(method: string, params: JsonObject, headers: RequestHeaders): string | undefined {
  const meta = isJsonObject(params["_meta"]) ? params["_meta"] : {};
  const expected: [header: string, value: unknown][] = [
    ["mcp-protocol-version", meta[META_KEYS.protocolVersion]],
    ["mcp-method", method],
  ];
  const nameParam = nameParamOf(method);
  if (nameParam !== undefined) expected.push(["mcp-name", params[nameParam]]);
  for (const [name, value] of expected) {
    const sent = headers[name];
    if (typeof sent !== "string") return `Header ${name} is missing`;
    if (decodeHeaderValue(sent) !== value) return `Header ${name} does not match the request`;
  }
  return undefined;
}
