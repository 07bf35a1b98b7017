/** Whether an authorization server has refused for good, and by which code. Other failures may pass. */
import { HostError } from "@plugboard/contracts";

/** By which it says that nothing it was sent is good any more. */
const PERMANENT_ERRORS: ReadonlySet<string> = new Set([
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "invalid_scope",
  "unsupported_grant_type",
]);

export function oauthRejection(error: unknown): string | undefined {
  if (!(error instanceof HostError) || error.code !== "LOGIN_FAILED") return undefined;
  const { error: code } = error.details as { readonly error?: string };
  return code !== undefined && PERMANENT_ERRORS.has(code) ? code : undefined;
}
