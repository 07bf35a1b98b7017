import { ERROR_TABLE } from "./error-table.ts";
import type { ErrorDetails, HostErrorCode } from "./error-details.ts";
import { isJsonObject } from "../lib/json.ts";
import type { Json } from "../lib/json.ts";

/** What the other side of a wire said, kept as it came. */
export interface PeerError {
  readonly code: number;
  readonly message: string;
  readonly data?: Json;
}

/** Every failure that leaves a Plugboard package is one of these. */
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

  /** The peer's own words, where the failure is an answer of the peer. */
  get peer(): PeerError | undefined {
    return isPeerError(this.cause) ? this.cause : undefined;
  }

  toJSON(): HostErrorJson {
    const peer = this.peer;
    return { code: this.code, message: this.message, details: this.details, ...(peer && { peer }) };
  }
}

/** Any of them, told apart by its code: to compare that is to know the details. */
export type AnyHostError = { readonly [C in HostErrorCode]: HostError<C> }[HostErrorCode];

/** Says more than `instanceof` does, which knows neither the code nor the details. */
export function isHostError(thrown: unknown): thrown is AnyHostError {
  return thrown instanceof HostError;
}

export interface HostErrorJson {
  readonly code: HostErrorCode;
  readonly message: string;
  readonly details: { readonly [name: string]: unknown };
  readonly peer?: PeerError;
}

/** Anything that was thrown, as a `HostError`; what is not one already is a defect and becomes INTERNAL. */
export function toHostError(thrown: unknown): HostError {
  if (thrown instanceof HostError) return thrown;
  const message = thrown instanceof Error ? thrown.message : describeThrown(thrown);
  return new HostError("INTERNAL", { reason: message }, { cause: thrown });
}

export function isPeerError(value: unknown): value is PeerError {
  // An Error may carry a code and a message of its own; those are nobody's words.
  if (value instanceof Error || !isJsonObject(value)) return false;
  return typeof value["code"] === "number" && typeof value["message"] === "string";
}

/** An object without a prototype can't be made a string. */
function describeThrown(thrown: unknown): string {
  return typeof thrown === "object" && thrown !== null ? Object.prototype.toString.call(thrown) : String(thrown);
}

export type { ErrorDetails, HostErrorCode } from "./error-details.ts";
