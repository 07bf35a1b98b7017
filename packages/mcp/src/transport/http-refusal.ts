/** What an HTTP status that is no answer means, as an error. */
import { HostError } from "@plugboard/contracts";
import type { HttpResponse } from "./http-response.ts";
import { retryAfterMs } from "./retry-after.ts";

/** The cause of an AUTH_REQUIRED: what logging in has to go by. It may name more than a message should. */
export interface AuthRefusal {
  readonly status: number;
  /** `WWW-Authenticate`, as the server wrote it. */
  readonly challenge?: string;
}

export interface Refusal {
  readonly server: string;
  readonly response: HttpResponse;
  readonly now: number;
  /** What is wrong about it if the status is not. */
  readonly what?: string;
}

export function refusal({ server, response, now, what }: Refusal): HostError {
  const { status } = response;
  if (wantsLogin(response)) {
    const challenge = challengeOf(response);
    const cause: AuthRefusal = { status, ...(challenge !== "" && { challenge }) };
    return new HostError("AUTH_REQUIRED", { server }, { cause });
  }
  if (isOverloaded(status)) {
    const wait = retryAfterMs(response.headers["retry-after"], now);
    return new HostError("SERVER_OVERLOADED", { server, status, ...(wait !== undefined && { retryAfterMs: wait }) });
  }
  if (status === 407) return new HostError("SERVER_UNREACHABLE", { server, reason: "the proxy wants a login" });
  if (status >= 500) return new HostError("SERVER_UNREACHABLE", { server, reason: `HTTP status ${status}` });
  return new HostError("UNEXPECTED_RESPONSE", { server, what: what ?? `HTTP status ${status}`, status });
}

/** Whether the status says all there is to say, whatever the body has to add. */
export function isFinal(response: HttpResponse): boolean {
  return wantsLogin(response) || isOverloaded(response.status);
}

function isOverloaded(status: number): boolean {
  return status === 429 || status === 503;
}

function wantsLogin(response: HttpResponse): boolean {
  const { status } = response;
  return status === 401 || (status === 403 && /\berror="?insufficient_scope\b/i.test(challengeOf(response)));
}

/** Some servers send a header for each way to log in. */
function challengeOf({ headers }: HttpResponse): string {
  const value = headers["www-authenticate"] ?? "";
  return typeof value === "string" ? value : value.join(", ");
}
