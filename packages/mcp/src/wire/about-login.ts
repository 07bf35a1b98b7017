/** Which errors are about a login: the server is there, and trying again as before changes nothing. Pure. */
import type { HostError } from "@plugboard/contracts";

export function isAboutLogin({ code }: HostError): boolean {
  return CODES.has(code);
}

const CODES: ReadonlySet<string> = new Set([
  "AUTH_REQUIRED",
  "LOGIN_FAILED",
  "LOGIN_NOT_OFFERED",
  "LOGIN_UNSAFE",
  "KEYRING_UNAVAILABLE",
] satisfies HostError["code"][]);
