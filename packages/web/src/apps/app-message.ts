/** The JSON-RPC messages of an App. An App can post anything, so a message is checked before it is used. Pure. */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";

export type AppMessage =
  | { readonly type: "request"; readonly id: string | number; readonly method: string; readonly params: JsonObject }
  | { readonly type: "notification"; readonly method: string; readonly params: JsonObject }
  | { readonly type: "response"; readonly id: string | number };

/** The most characters that a message may have as JSON. */
export const MAX_CHARS = 4 * 1024 * 1024;
const MAX_VALUES = 200_000;

/** Returns undefined for everything that is not a message of JSON-RPC 2.0. `data` must have been measured. */
export function parseAppMessage(data: unknown): AppMessage | undefined {
  const message = toJson(data);
  if (!isJsonObject(message) || message["jsonrpc"] !== "2.0") return undefined;
  const { id, method, params } = message;
  const hasId = typeof id === "string" || typeof id === "number";
  if (typeof method !== "string") return hasId ? { type: "response", id } : undefined;
  const checked = isJsonObject(params) ? params : {};
  return hasId ? { type: "request", id, method, params: checked } : { type: "notification", method, params: checked };
}

/** Returns undefined for a value that JSON can't represent, such as one with cycles. */
function toJson(data: unknown): Json | undefined {
  try {
    const text = JSON.stringify(data) as string | undefined;
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

/**
 * Returns about how many characters a posted value has as JSON, or undefined if it is too large to be written. A value
 * that takes little memory can have an endless JSON text: a list may contain the same list many times, which contains
 * another list many times, and so on.
 */
export function measureMessage(data: unknown): number | undefined {
  const left = [data];
  let chars = 0;
  for (let values = 0; left.length > 0; values++) {
    const value = left.pop();
    if (typeof value === "string") chars += value.length;
    else if (typeof value === "object" && value !== null) {
      const isList = Array.isArray(value);
      // A list can be long without having items.
      if (ArrayBuffer.isView(value) || (isList && value.length > MAX_VALUES)) return undefined;
      for (const [key, item] of Object.entries(value)) {
        chars += isList ? 1 : key.length;
        left.push(item);
      }
    }
    if (values + left.length > MAX_VALUES || chars > MAX_CHARS) return undefined;
  }
  return chars;
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
