/** The JSON-RPC messages of an App. An App can post anything, so a message is checked before it is used. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

export type AppMessage =
  | { readonly type: "request"; readonly id: string | number; readonly method: string; readonly params: JsonObject }
  | { readonly type: "notification"; readonly method: string; readonly params: JsonObject }
  | { readonly type: "response"; readonly id: string | number };

const MAX_CHARS = 4 * 1024 * 1024;

/** Returns undefined for everything that is not a message of JSON-RPC 2.0, or is too long. */
export function parseAppMessage(data: unknown): AppMessage | undefined {
  const message = toJson(data);
  if (!isJsonObject(message) || message["jsonrpc"] !== "2.0") return undefined;
  const { id, method, params } = message;
  const hasId = typeof id === "string" || typeof id === "number";
  if (typeof method !== "string") return hasId ? { type: "response", id } : undefined;
  const checked = isJsonObject(params) ? params : {};
  return hasId ? { type: "request", id, method, params: checked } : { type: "notification", method, params: checked };
}

/** Posted values may have cycles and types that JSON does not know. */
function toJson(data: unknown): Json | undefined {
  try {
    const text = JSON.stringify(data) as string | undefined;
    return text === undefined || text.length > MAX_CHARS ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

export function resultMessage(id: string | number, result: JsonObject): JsonObject {
  return { jsonrpc: "2.0", id, result };
}

export function errorMessage(id: string | number, { code, message, data }: AppError): JsonObject {
  return { jsonrpc: "2.0", id, error: { code, message, ...(data && { data }) } };
}

export function notificationMessage(method: string, params: JsonObject): JsonObject {
  return { jsonrpc: "2.0", method, params };
}

/** An error that the App gets as the answer to its request. */
export class AppError extends Error {
  readonly code: number;
  readonly data: JsonObject | undefined;

  constructor(code: number, message: string, data?: JsonObject) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const REQUEST_FAILED = -32000;
