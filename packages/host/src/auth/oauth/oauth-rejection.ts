/** Recognises errors by which an authorization server rejects a grant or client permanently. */
import { HostError } from "@plugboard/contracts";

/** Error codes of OAuth for which a retry with the same credentials fails again. */
const PERMANENT_ERRORS: ReadonlySet<string> = new Set([
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "invalid_scope",
  "unsupported_grant_type",
]);

/** Returns the error code of a permanent rejection, or undefined for any other error. */
export function oauthRejection(error: unknown): string | undefined {
  if (!(error instanceof HostError) || error.code !== "LOGIN_FAILED") return undefined;
  const { error: code } = error.details as { readonly error?: string };
  return code !== undefined && PERMANENT_ERRORS.has(code) ? code : undefined;
}
