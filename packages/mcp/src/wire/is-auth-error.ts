/** Recognises login errors. The server is reachable, but a retry with the same credentials would fail again. */
import type { HostError } from "@plugboard/contracts";

export function isAuthError({ code }: HostError): boolean {
  return AUTH_ERROR_CODES.has(code);
}

const AUTH_ERROR_CODES: ReadonlySet<string> = new Set([
  "AUTH_REQUIRED",
  "LOGIN_FAILED",
  "LOGIN_NOT_OFFERED",
  "LOGIN_UNSAFE",
  "KEYRING_UNAVAILABLE",
] satisfies HostError["code"][]);
