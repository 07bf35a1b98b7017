/**
 * What went wrong with a login, as an error. What an authorization server says
 * is shown, but short, harmless to a terminal, and without anything that we sent
 * in confidence. Its answers are never the cause of an error: they may hold tokens.
 */
import { cancelled, HostError, sanitizeLine } from "@plugboard/contracts";
import { redactEchoedSecrets } from "./redact-echoed-secrets.ts";
import type { OAuthContext } from "./oauth-context.ts";

export interface FailedOAuthRequest {
  readonly ctx: OAuthContext;
  /** What was sent in confidence. */
  readonly secrets: readonly string[];
  /** Of the last answer, if there was one. */
  readonly status?: number | undefined;
}

/** Of what it says. */
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
        ? "its authorization server answered with something else than was asked for"
        : `its authorization server answered with HTTP status ${status}`;
    return new HostError("LOGIN_FAILED", { server, reason });
  }
  const reason = thrown instanceof Error ? redactEchoedSecrets(thrown.message, secrets) : "something was thrown";
  return new HostError("LOGIN_FAILED", { server, reason });
}

/** As the errors of `oauth4webapi` have them. */
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
  const why = typeof description === "string" && description !== "" ? `: ${toSafeText(description, secrets)}` : "";
  return { reason: `its authorization server said ${code}${why}`, error: code };
}

function toSafeText(text: string, secrets: readonly string[]): string {
  // Cut twice: what is masked or marked may be longer than what it stands for.
  const masked = sanitizeLine(redactEchoedSecrets(text.slice(0, 10 * MAX_TEXT_LENGTH), secrets)).trim();
  return masked.length > MAX_TEXT_LENGTH ? `${masked.slice(0, MAX_TEXT_LENGTH)}…` : masked.replace(/\.$/, "");
}
