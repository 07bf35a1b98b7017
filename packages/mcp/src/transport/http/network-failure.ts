/** Maps a network or TLS failure to an error. */
import { HostError } from "@plugboard/contracts";

/** Codes of failures before or during the connection to the server. */
const NETWORK_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "EMFILE",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_SOCKET",
  // A proxy refused the connection.
  "UND_ERR_ABORTED",
  "UND_ERR_DESTROYED",
]);

interface NetworkError extends NodeJS.ErrnoException {
  /** The reason that OpenSSL gives, without its source file names. */
  readonly reason?: string;
}

interface RequestAttempt {
  readonly server: string;
  readonly secure: boolean;
  /** True if part of the request may have been sent. */
  readonly sent: boolean;
}

export function networkFailure(thrown: unknown, { server, secure, sent }: RequestAttempt): HostError {
  const { code, text } = readError(thrown);
  const reason = networkReason(thrown);
  const options = { cause: thrown };
  if (sent) return new HostError("CONNECTION_LOST", { server, reason }, options);
  if (code === "UND_ERR_INVALID_ARG") {
    return new HostError("SERVER_INVALID", { server, reason: `its headers can't be sent (${text})` }, options);
  }
  // All other failures of a secure connection are TLS errors: an untrusted certificate, or no TLS at all.
  if (secure && !NETWORK_CODES.has(code)) return new HostError("TLS_FAILED", { server, reason }, options);
  return new HostError("SERVER_UNREACHABLE", { server, reason }, options);
}

/** Describes the failure without naming the server. */
export function networkReason(thrown: unknown): string {
  const { code, text } = readError(thrown);
  return code && text ? `${code} (${text})` : code || text;
}

function readError(thrown: unknown): { readonly code: string; readonly text: string } {
  const { code = "", message, reason: tlsReason } = firstError(thrown as NetworkError);
  const [text = ""] = (tlsReason ?? message).split("\n", 1);
  return { code, text };
}

/** Node reports several errors together if it tried several addresses. */
function firstError(error: NetworkError): NetworkError {
  const [first] = error instanceof AggregateError ? (error.errors as NetworkError[]) : [];
  return first ?? error;
}
