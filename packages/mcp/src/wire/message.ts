/**
 * JSON-RPC messages: their types, the classification of incoming values, and the serialization of outgoing ones. Strict
 * about the envelope, tolerant about the params and results inside.
 */
import { HostError, isJsonObject, isPeerError } from "@plugboard/contracts";
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

export type ParsedMessage =
  | { readonly type: "request"; readonly message: RequestMessage }
  | { readonly type: "notification"; readonly message: NotificationMessage }
  | { readonly type: "result"; readonly message: ResultMessage }
  | { readonly type: "error"; readonly message: ErrorMessage }
  | Malformed;

export interface Malformed {
  readonly type: "malformed";
  readonly reason: string;
  readonly id?: RequestId;
  /**
   * The kind of message that was probably intended. Only a malformed response can fail one of our requests. A request
   * of the other side has an id of its own, and noise (log lines, banners) is not a message.
   */
  readonly looksLike: "request" | "response" | "noise";
}

export function classify(value: unknown): ParsedMessage {
  if (Array.isArray(value)) return { type: "malformed", reason: "a batch", looksLike: guessBatchKind(value) };
  if (!isJsonObject(value)) return { type: "malformed", reason: "not an object", looksLike: "noise" };
  const id = isRequestId(value["id"]) ? value["id"] : undefined;
  if (value["jsonrpc"] !== "2.0") return malformed(value, id, '"jsonrpc" is not "2.0"');
  return "method" in value ? classifyRequestOrNotification(value, id) : classifyResponse(value, id);
}

/** Treats null as absent for optional fields. Returns the value itself if nothing changes, to avoid a copy per message. */
function classifyRequestOrNotification(value: JsonObject, id: RequestId | undefined): ParsedMessage {
  const { method, params, id: rawId } = value;
  if (typeof method !== "string") return malformed(value, id, '"method" is not a string');
  if (params !== undefined && params !== null && !isJsonObject(params)) {
    return malformed(value, id, '"params" is not an object');
  }
  const message: object = params === null || rawId === null ? withoutNulls(value, ["params", "id"]) : value;
  if (rawId === undefined || rawId === null) {
    return { type: "notification", message: message as NotificationMessage };
  }
  if (id === undefined) return malformed(value, id, '"id" is neither a string nor a number');
  return { type: "request", message: message as RequestMessage };
}

/** Accepts `result` and `error` together if one of them is null, as some servers send it. */
function classifyResponse(value: JsonObject, id: RequestId | undefined): ParsedMessage {
  const { result, error } = value;
  if (error !== undefined && error !== null) {
    if (result !== undefined && result !== null) return malformed(value, id, 'both "result" and "error"');
    if (!isPeerError(error)) return malformed(value, id, '"error" has no code and message');
    return { type: "error", message: { jsonrpc: "2.0", ...(id !== undefined && { id }), error } };
  }
  if (result === undefined) return malformed(value, id, 'neither "method" nor "result" nor "error"');
  if (id === undefined) return malformed(value, id, "a result without an id");
  if (!isJsonObject(result)) return malformed(value, id, '"result" is not an object');
  const message: object = error === null ? withoutNulls(value, ["error"]) : value;
  return { type: "result", message: message as ResultMessage };
}

function withoutNulls(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key, field]) => field !== null || !keys.includes(key)));
}

function malformed(value: JsonObject, id: RequestId | undefined, reason: string): Malformed {
  return { type: "malformed", reason, looksLike: guessKind(value, id), ...(id !== undefined && { id }) };
}

/** Tells a response without `jsonrpc` from a log line: a log line also has keys other than `id`, `result` and `error`. */
function guessKind(value: JsonObject, id: RequestId | undefined): Malformed["looksLike"] {
  if ("method" in value) return "request";
  if (value["jsonrpc"] !== undefined) return id !== undefined || "result" in value ? "response" : "noise";
  const hasOnlyRpcKeys = Object.keys(value).every((key) => key === "id" || key === "result" || key === "error");
  return hasOnlyRpcKeys && id !== undefined && Object.keys(value).length > 1 ? "response" : "noise";
}

function guessBatchKind(values: readonly unknown[]): Malformed["looksLike"] {
  const envelopes = values.filter(isJsonObject).filter((value) => "jsonrpc" in value);
  if (envelopes.length === 0) return "noise";
  return envelopes.every((envelope) => "method" in envelope) ? "request" : "response";
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}

/** Throws INVALID_ARGUMENTS if the message contains arguments that cannot be written as JSON. */
export function serializeMessage(message: Message): string {
  try {
    return JSON.stringify(message);
  } catch (error) {
    throw new HostError("INVALID_ARGUMENTS", { reason: describeFailure(error) }, { cause: error });
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof RangeError) return "they are nested too deep or too long for JSON";
  const [firstLine = ""] = error instanceof Error ? error.message.split("\n", 1) : [];
  return `they can't be written as JSON (${firstLine})`;
}
