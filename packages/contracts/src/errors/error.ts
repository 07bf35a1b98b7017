/** `HostError`, its JSON form, and functions that recognise and convert errors. */
import { ERROR_TABLE } from "./error-table.ts";
import type { ErrorDetails, HostErrorCode } from "./error-details.ts";
import { isJsonObject } from "../lib/json.ts";
import type { Json } from "../lib/json.ts";

/** The JSON-RPC error of a server, unchanged. */
export interface PeerError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

/** The only error class that Plugboard's packages throw. */
export class HostError<Code extends HostErrorCode = HostErrorCode> extends Error {
  override readonly name = "HostError";
  readonly code: Code;
  readonly details: ErrorDetails[Code];

  constructor(code: Code, details: ErrorDetails[Code], options?: { cause?: unknown }) {
    const row = ERROR_TABLE[code];
    const remedy = typeof row.remedy === "string" ? row.remedy : row.remedy(details);
    super(`${row.say(details)} ${remedy}`.trim(), options);
    this.code = code;
    this.details = details;
  }

  /** The server's error, if the failure is an error response of a server. */
  get peer(): PeerError | undefined {
    return isPeerError(this.cause) ? this.cause : undefined;
  }

  toJSON(): HostErrorJson {
    const peer = this.peer;
    return { code: this.code, message: this.message, details: this.details, ...(peer && { peer }) };
  }
}

/** A union over all codes. A comparison of `code` narrows the type of `details`. */
export type AnyHostError = { readonly [C in HostErrorCode]: HostError<C> }[HostErrorCode];

/** Unlike `instanceof`, allows TypeScript to narrow `details` by `code`. */
export function isHostError(thrown: unknown): thrown is AnyHostError {
  return thrown instanceof HostError;
}

/** The JSON form of a `HostError`. */
export interface HostErrorJson {
  readonly code: HostErrorCode;
  readonly message: string;
  readonly details: { readonly [name: string]: unknown };
  readonly peer?: PeerError;
}

/** Returns a `HostError` unchanged. Any other thrown value is a defect and becomes INTERNAL. */
export function toHostError(thrown: unknown): HostError {
  if (thrown instanceof HostError) return thrown;
  const message = thrown instanceof Error ? thrown.message : describeThrown(thrown);
  return new HostError("INTERNAL", { reason: message }, { cause: thrown });
}

export function isPeerError(value: unknown): value is PeerError {
  // An Error may have a code and a message, but it is not a server's response.
  if (value instanceof Error || !isJsonObject(value)) return false;
  return typeof value["code"] === "number" && typeof value["message"] === "string";
}

/** The reason of a cancellation if the caller gives none. */
export const CALLER_CANCELLED = "the caller cancelled the request";

/** Creates the error of work that ended because it was cancelled. */
export function cancelled(reason: string = CALLER_CANCELLED): HostError<"CANCELLED"> {
  return new HostError("CANCELLED", { reason });
}

/** `String` throws for an object without a prototype. */
function describeThrown(thrown: unknown): string {
  return typeof thrown === "object" && thrown !== null ? Object.prototype.toString.call(thrown) : String(thrown);
}

export type { ErrorDetails, HostErrorCode } from "./error-details.ts";
