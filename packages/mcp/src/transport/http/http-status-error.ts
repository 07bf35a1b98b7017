/** Makes the error for a response that is no valid answer, from its status and headers. */
import { HostError } from "@plugboard/contracts";
import type { HttpResponse, ResponseHeaders } from "./http-response.ts";
import { retryAfterMs } from "./retry-after.ts";

/**
 * The cause of AUTH_REQUIRED, with the data that a login needs. It may contain more than an error message should show.
 */
export interface AuthRefusal {
  readonly status: number;
  /** The `WWW-Authenticate` header as sent by the server. */
  readonly challenge?: string;
  /** The `DPoP-Nonce` header. The next DPoP proof must contain it. */
  readonly nonce?: string;
}

export interface HttpStatusErrorOptions {
  readonly server: string;
  readonly response: HttpResponse;
  readonly now: number;
  /** Says why the response is invalid although its status is not an error. */
  readonly problem?: string;
}

export function httpStatusError({ server, response, now, problem }: HttpStatusErrorOptions): HostError {
  const { status } = response;
  const cause = readAuthRefusal(response);
  if (cause) return new HostError("AUTH_REQUIRED", { server }, { cause });
  if (isOverloaded(status)) {
    const waitMs = retryAfterMs(response.headers["retry-after"], now);
    return new HostError("SERVER_OVERLOADED", {
      server,
      status,
      ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    });
  }
  if (status === 407)
    return new HostError("SERVER_UNREACHABLE", { server, reason: "the proxy requires authentication" });
  if (status >= 500) return new HostError("SERVER_UNREACHABLE", { server, reason: `HTTP status ${status}` });
  return new HostError("UNEXPECTED_RESPONSE", { server, reason: problem ?? `HTTP status ${status}`, status });
}

/** Returns true if the status and the headers determine the error, so that the body need not be read. */
export function isStatusConclusive(response: HttpResponse): boolean {
  return isOverloaded(response.status) || readAuthRefusal(response) !== undefined;
}

interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/** Returns the server's request for a login or for more scope, or undefined if the response is something else. */
export function readAuthRefusal({ status, headers }: ResponseHead): AuthRefusal | undefined {
  if (status !== 401 && status !== 403) return undefined;
  // Some servers send one header for each scheme.
  const challenge = [headers["www-authenticate"] ?? []].flat().join(", ");
  if (status === 403 && !/\berror="?insufficient_scope\b/i.test(challenge)) return undefined;
  const [nonce] = [headers["dpop-nonce"] ?? []].flat();
  return { status, ...(challenge !== "" && { challenge }), ...(nonce !== undefined && { nonce }) };
}

/** Why a request is sent again: with new credentials, or with a DPoP nonce. */
export type AuthRetry = "credentials" | "nonce";

export function authRetryFor({ challenge = "", nonce }: AuthRefusal): AuthRetry {
  return nonce !== undefined && /\berror="?use_dpop_nonce\b/i.test(challenge) ? "nonce" : "credentials";
}

function isOverloaded(status: number): boolean {
  return status === 429 || status === 503;
}
