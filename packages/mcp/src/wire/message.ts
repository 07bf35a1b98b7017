/**
 * JSON-RPC envelopes, and the one place that decides what an incoming value is.
 * Tolerant of what is inside an envelope, strict about the envelope itself.
 */
import { isJsonObject, isPeerError } from "@plugboard/contracts";
import type { JsonObject, PeerError } from "@plugboard/contracts";

export type RequestId = string | number;

export interface RequestMessage {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

export interface NotificationMessage {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: JsonObject;
}

interface ResultMessage {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly result: JsonObject;
}

interface ErrorMessage {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId;
  readonly error: PeerError;
}

export type Message = RequestMessage | NotificationMessage | ResultMessage | ErrorMessage;

export type Incoming =
  | { readonly type: "request"; readonly message: RequestMessage }
  | { readonly type: "notification"; readonly message: NotificationMessage }
  | { readonly type: "result"; readonly message: ResultMessage }
  | { readonly type: "error"; readonly message: ErrorMessage }
  | { readonly type: "malformed"; readonly why: string; readonly id?: RequestId };

export function classify(value: unknown): Incoming {
  if (Array.isArray(value)) return { type: "malformed", why: "a batch" };
  if (!isJsonObject(value)) return { type: "malformed", why: "not an object" };
  const id = isRequestId(value["id"]) ? value["id"] : undefined;
  const malformed = (why: string): Incoming => ({ type: "malformed", why, ...(id !== undefined && { id }) });

  if (value["jsonrpc"] !== "2.0") return malformed('"jsonrpc" is not "2.0"');
  if ("method" in value) {
    if (typeof value["method"] !== "string") return malformed('"method" is not a string');
    if (value["params"] !== undefined && !isJsonObject(value["params"])) return malformed('"params" is not an object');
    if (!("id" in value)) return { type: "notification", message: value as unknown as NotificationMessage };
    if (id === undefined) return malformed('"id" is neither a string nor a number');
    return { type: "request", message: value as unknown as RequestMessage };
  }
  if ("result" in value && "error" in value) return malformed('both "result" and "error"');
  if ("error" in value) {
    if (!isPeerError(value["error"])) return malformed('"error" has no code and message');
    return { type: "error", message: { jsonrpc: "2.0", ...(id !== undefined && { id }), error: value["error"] } };
  }
  if (!("result" in value)) return malformed('neither "method" nor "result" nor "error"');
  if (id === undefined) return malformed("a result without an id");
  if (!isJsonObject(value["result"])) return malformed('"result" is not an object');
  return { type: "result", message: value as unknown as ResultMessage };
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}
