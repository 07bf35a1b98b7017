/**
 * Converts the errors of the AI SDK to a `HostError`. After MODEL_UNAVAILABLE the request can be repeated. After
 * MODEL_CONTEXT_EXCEEDED a shorter request can be sent. After MODEL_FAILED the same request would fail again.
 */
import { HostError, isJsonObject } from "@plugboard/contracts";

interface ErrorContext {
  /** The wall clock, for a `retry-after` header with a date. */
  readonly now: number;
  /** The key of the request, which a provider may quote. */
  readonly apiKey: string | undefined;
}

export function modelError(model: string, thrown: unknown, { now, apiKey }: ErrorContext): HostError {
  const hostError = findHostError(thrown);
  if (hostError) return hostError;
  const cause = { cause: thrown };
  const reason = withoutKey(describe(thrown), apiKey);
  if (isContextExceeded(thrown, reason)) return new HostError("MODEL_CONTEXT_EXCEEDED", { model, reason }, cause);
  if (isApiCallError(thrown)) {
    const { statusCode: status } = thrown;
    // The connection was lost after the answer had begun.
    if (status !== undefined && isSuccess(status) && !isPermanent(thrown.data)) return brokenAnswer(model, cause);
    const details = { model, reason, ...(status !== undefined && { status }) };
    const isTransient = (status === undefined || isTransientStatus(status)) && !isPermanent(thrown.data);
    if (!isTransient) return new HostError("MODEL_FAILED", details, cause);
    const retryAfterMs = parseRetryAfter(thrown.responseHeaders ?? {}, now);
    return new HostError(
      "MODEL_UNAVAILABLE",
      {
        ...details,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        ...(isUnreachable(thrown) && { unreachable: true }),
      },
      cause,
    );
  }
  // Any other error of the SDK, such as for an invalid prompt, would occur again.
  const isDefect = thrown instanceof Error && thrown.name.startsWith("AI_") && !BROKEN_ANSWERS.has(thrown.name);
  if (isDefect || isPermanent(thrown)) return new HostError("MODEL_FAILED", { model, reason }, cause);
  return new HostError("MODEL_UNAVAILABLE", { model, reason }, cause);
}

/** The error of an answer that ended too early. */
export function brokenAnswer(model: string, options: ErrorOptions = {}): HostError {
  return new HostError("MODEL_UNAVAILABLE", { model, reason: "its answer broke off" }, options);
}

/** A shorter key is no secret, and would hide parts of ordinary words. */
const MIN_KEY_LENGTH = 8;

function withoutKey(text: string, apiKey: string | undefined): string {
  return apiKey !== undefined && apiKey.length >= MIN_KEY_LENGTH ? text.replaceAll(apiKey, "***") : text;
}

/** The SDK may wrap the error of an answer that is too large. */
function findHostError(thrown: unknown): HostError | undefined {
  if (thrown instanceof HostError) return thrown;
  return thrown instanceof Error ? findHostError(thrown.cause) : undefined;
}

interface ApiCallError extends Error {
  readonly statusCode?: number;
  readonly responseHeaders?: { readonly [name: string]: string };
  readonly data?: unknown;
}

/** Compares the name, because each SDK has its own copy of the class. */
function isApiCallError(thrown: unknown): thrown is ApiCallError {
  return thrown instanceof Error && thrown.name === "AI_APICallError";
}

/** The codes of errors that occur before a connection is open. */
const CONNECT_CODES = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

/** Returns true if no server answers at the URL. The code is in one of the causes. */
function isUnreachable(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { code } = thrown as { readonly code?: unknown };
  return (typeof code === "string" && CONNECT_CODES.has(code)) || isUnreachable(thrown.cause);
}

/** The names of the SDK's errors for an answer that it could not read, or that ended too early. */
const BROKEN_ANSWERS = new Set([
  "AI_EmptyResponseBodyError",
  "AI_InvalidResponseDataError",
  "AI_JSONParseError",
  "AI_TypeValidationError",
]);

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function isTransientStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Error types and codes of the providers after which the same request fails again, also with a transient status. */
const PERMANENT_CODES = new Set([
  "invalid_request_error",
  "authentication_error",
  "permission_error",
  "not_found_error",
  "invalid_prompt",
  "insufficient_quota",
]);

function isPermanent(value: unknown): boolean {
  return hasCode(value, PERMANENT_CODES);
}

/** The codes of OpenAI, Anthropic and llama.cpp for a request that exceeds the context window or the maximum size. */
const CONTEXT_CODES = new Set(["context_length_exceeded", "request_too_large", "exceed_context_size_error"]);

/** Anthropic, vLLM and LM Studio have no code for it, only a message. */
const CONTEXT_MESSAGE = /prompt is too long|maximum context length|context (?:length|size|window)/i;

function isContextExceeded(thrown: unknown, reason: string): boolean {
  if (!isApiCallError(thrown)) return hasCode(thrown, CONTEXT_CODES);
  const { statusCode, data } = thrown;
  const isRejected = statusCode === 400 || statusCode === 413 || statusCode === 422;
  return hasCode(data, CONTEXT_CODES) || (isRejected && CONTEXT_MESSAGE.test(reason));
}

/** Returns true if the error that a provider sent has one of the codes, also inside an `error` field. */
function hasCode(value: unknown, codes: ReadonlySet<string>): boolean {
  if (!isJsonObject(value)) return false;
  const { error, type, code } = value;
  return hasCode(error, codes) || [type, code].some((one) => typeof one === "string" && codes.has(one));
}

function parseRetryAfter(headers: { readonly [name: string]: string }, now: number): number | undefined {
  const ms = Number(headers["retry-after-ms"] || NaN);
  if (ms >= 0) return ms;
  const after = headers["retry-after"];
  if (!after) return undefined;
  const seconds = Number(after);
  if (seconds >= 0) return seconds * 1000;
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Returns the message without its full stop, because the message of the `HostError` adds one. */
function describe(thrown: unknown): string {
  return messageOf(thrown).trim().replace(/\.+$/, "") || "the provider gave no reason";
}

function messageOf(thrown: unknown): string {
  if (thrown instanceof Error)
    return thrown.cause instanceof Error ? `${thrown.message}: ${thrown.cause.message}` : thrown.message;
  if (typeof thrown === "string") return thrown;
  if (!isJsonObject(thrown)) return "";
  return typeof thrown["message"] === "string" ? thrown["message"] : messageOf(thrown["error"]);
}
