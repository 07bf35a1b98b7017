/** Checks a modern request and its HTTP headers before it is handled. */
import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject } from "@plugboard/contracts";
import type { Caller, JsonObject, PeerError } from "@plugboard/contracts";
import { headerMismatch } from "../dialect/modern/header-mismatch.ts";
import { isModernRequest } from "../dialect/modern/modern-server.ts";
import { paramHeaderMismatch, parseParamHeaders } from "../dialect/modern/param-headers.ts";
import type { ParamHeader } from "../dialect/modern/param-headers.ts";
import { missingMetaError } from "../dialect/modern/request-meta-errors.ts";
import type { McpRequestHandler } from "../session/mcp-request-handler.ts";
import { LEGACY_NAMES } from "../session/revisions.ts";
import type { RequestMessage } from "../wire/message.ts";
import { HEADER_MISMATCH } from "../wire/rpc-error-codes.ts";

/**
 * Recognises a modern request by its `_meta`. A request with incomplete `_meta` is recognised by a header that names a
 * revision other than the legacy ones.
 */
export function isModernHttpRequest({ params }: RequestMessage, headers: IncomingHttpHeaders): boolean {
  if (isModernRequest(params)) return true;
  const version = headers["mcp-protocol-version"];
  if (version === undefined || headers["mcp-session-id"] !== undefined) return false;
  return !LEGACY_NAMES.some((known) => known === version);
}

export class ModernRequestCheck {
  readonly #handler: McpRequestHandler;
  /** The headers that a tool declares, by its schema. */
  readonly #paramHeaders = new WeakMap<JsonObject, readonly ParamHeader[]>();

  constructor(handler: McpRequestHandler) {
    this.#handler = handler;
  }

  /** Returns the error for the client if the request must not be handled. Its HTTP status is 400. */
  error({ method, params = {} }: RequestMessage, headers: IncomingHttpHeaders, caller: Caller): PeerError | undefined {
    const missing = missingMetaError(params);
    if (missing) return missing;
    const mismatch = headerMismatch(method, params, headers) ?? this.#paramMismatch(method, params, headers, caller);
    return mismatch === undefined ? undefined : { code: HEADER_MISMATCH, message: mismatch };
  }

  #paramMismatch(
    method: string,
    { name, arguments: args }: JsonObject,
    headers: IncomingHttpHeaders,
    caller: Caller,
  ): string | undefined {
    if (method !== "tools/call" || typeof name !== "string" || !isJsonObject(args)) return undefined;
    const schema = this.#handler.inputSchema?.(name, caller);
    return schema && paramHeaderMismatch(this.#declaredHeaders(schema), args, headers);
  }

  #declaredHeaders(schema: JsonObject): readonly ParamHeader[] {
    const known = this.#paramHeaders.get(schema);
    if (known) return known;
    const parsed = parseParamHeaders(schema);
    // Clients ignore an invalid declaration, too.
    const declared = "invalid" in parsed ? [] : parsed;
    this.#paramHeaders.set(schema, declared);
    return declared;
  }
}
