/**
 * Maps a failed login request to a `HostError`. Shows the authorization server's own message, but shortened, safe for a
 * terminal and without secrets. A response is never the `cause` of an error, because it may contain tokens.
 */
import { cancelled, HostError, sanitizeLine } from "@plugboard/contracts";
import { redactEchoedSecrets } from "./redact-echoed-secrets.ts";
import type { OAuthContext } from "./oauth-context.ts";

export interface FailedOAuthRequest {
  readonly ctx: OAuthContext;
  /** Secrets that were sent with the request. */
  readonly secrets: readonly string[];
  /** The status of the last response, if there was one. */
  readonly status?: number | undefined;
}

/** Limits the length of the server's message. */
const MAX_TEXT_LENGTH = 200;

export function toLoginError(thrown: unknown, { ctx, secrets, status }: FailedOAuthRequest): HostError {
  const { server, signal } = ctx;
  if (thrown instanceof HostError) return thrown;
  if (signal?.aborted) return cancelled();
  if (status !== undefined && (status === 429 || status >= 500)) {
    const reason = `its authorization server answers with HTTP status ${status}`;
    return new HostError("SERVER_UNREACHABLE", { server, reason });
  }
  const { error, error_description: description } = (thrown ?? {}) as OAuthErrorFields;
  if (typeof error === "string")
    return new HostError("LOGIN_FAILED", { server, ...rejectionDetails(error, description, secrets) });
  if (status !== undefined) {
    const reason =
      status < 300
        ? "its authorization server sent an invalid response"
        : `its authorization server answered with HTTP status ${status}`;
    return new HostError("LOGIN_FAILED", { server, reason });
  }
  const reason = thrown instanceof Error ? redactEchoedSecrets(thrown.message, secrets) : "unknown error";
  return new HostError("LOGIN_FAILED", { server, reason });
}

/** The fields of an `oauth4webapi` error. */
interface OAuthErrorFields {
  readonly error?: unknown;
  readonly error_description?: unknown;
}

function rejectionDetails(
  error: string,
  description: unknown,
  secrets: readonly string[],
): { reason: string; error: string } {
  const code = toSafeText(error, secrets);
  const detail = typeof description === "string" && description !== "" ? `: ${toSafeText(description, secrets)}` : "";
  return { reason: `its authorization server said ${code}${detail}`, error: code };
}

function toSafeText(text: string, secrets: readonly string[]): string {
  // Shortens twice, because escaping may lengthen the text.
  const masked = sanitizeLine(redactEchoedSecrets(text.slice(0, 10 * MAX_TEXT_LENGTH), secrets)).trim();
  return masked.length > MAX_TEXT_LENGTH ? `${masked.slice(0, MAX_TEXT_LENGTH)}…` : masked.replace(/\.$/, "");
}
