/** What an HTTP status that is no answer means, as an error. */
import { HostError } from "@plugboard/contracts";
import type { HttpResponse, ResponseHeaders } from "./http-response.ts";
import { retryAfterMs } from "./retry-after.ts";

/** The cause of an AUTH_REQUIRED: what logging in has to go by. It may name more than a message should. */
export interface AuthRefusal {
  readonly status: number;
  /** `WWW-Authenticate`, as the server wrote it. */
  readonly challenge?: string;
  /** `DPoP-Nonce`: what the next proof has to contain. */
  readonly nonce?: string;
}

export interface HttpStatusErrorOptions {
  readonly server: string;
  readonly response: HttpResponse;
  readonly now: number;
  /** What is wrong about it if the status is not. */
  readonly what?: string;
}

export function httpStatusError({ server, response, now, what }: HttpStatusErrorOptions): HostError {
  const { status } = response;
  const cause = readAuthRefusal(response);
  if (cause) return new HostError("AUTH_REQUIRED", { server }, { cause });
  if (isOverloaded(status)) {
    const wait = retryAfterMs(response.headers["retry-after"], now);
    return new HostError("SERVER_OVERLOADED", { server, status, ...(wait !== undefined && { retryAfterMs: wait }) });
  }
  if (status === 407) return new HostError("SERVER_UNREACHABLE", { server, reason: "the proxy wants a login" });
  if (status >= 500) return new HostError("SERVER_UNREACHABLE", { server, reason: `HTTP status ${status}` });
  return new HostError("UNEXPECTED_RESPONSE", { server, reason: what ?? `HTTP status ${status}`, status });
}

/** Whether the status says all there is to say, whatever the body has to add. */
export function isStatusConclusive(response: HttpResponse): boolean {
  return isOverloaded(response.status) || readAuthRefusal(response) !== undefined;
}

interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
}

/** What a server says that wants a login, or one that permits more; nothing if it says anything else. */
export function readAuthRefusal({ status, headers }: ResponseHead): AuthRefusal | undefined {
  if (status !== 401 && status !== 403) return undefined;
  // Some servers send a header for each way to log in.
  const challenge = [headers["www-authenticate"] ?? []].flat().join(", ");
  if (status === 403 && !/\berror="?insufficient_scope\b/i.test(challenge)) return undefined;
  const [nonce] = [headers["dpop-nonce"] ?? []].flat();
  return { status, ...(challenge !== "" && { challenge }), ...(nonce !== undefined && { nonce }) };
}

/** What a request may be sent once more for: other credentials, and what the server wants to see with them. */
export type AuthRetry = "credentials" | "nonce";

export function authRetryFor({ challenge = "", nonce }: AuthRefusal): AuthRetry {
  return nonce !== undefined && /\berror="?use_dpop_nonce\b/i.test(challenge) ? "nonce" : "credentials";
}

function isOverloaded(status: number): boolean {
  return status === 429 || status === 503;
}
