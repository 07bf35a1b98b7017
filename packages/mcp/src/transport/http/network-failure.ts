/** What went wrong on the way to an HTTP server, in words. */
import { HostError } from "@plugboard/contracts";

/** Never got as far as the server, or the network broke while it was tried. */
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
  // A proxy that refused to let us through.
  "UND_ERR_ABORTED",
  "UND_ERR_DESTROYED",
]);

interface NetworkError extends NodeJS.ErrnoException {
  /** What TLS says without naming its own source files. */
  readonly reason?: string;
}

interface RequestAttempt {
  readonly server: string;
  readonly secure: boolean;
  /** Whether any of the request may have gone out. */
  readonly sent: boolean;
}

export function networkFailure(thrown: unknown, { server, secure, sent }: RequestAttempt): HostError {
  const { code, words } = readError(thrown);
  const reason = networkReason(thrown);
  const options = { cause: thrown };
  if (sent) return new HostError("CONNECTION_LOST", { server, reason }, options);
  if (code === "UND_ERR_INVALID_ARG") {
    return new HostError("SERVER_INVALID", { server, reason: `its headers can't be sent (${words})` }, options);
  }
  // What is left when the network is not to blame: no certificate that can be trusted, or no TLS at all.
  if (secure && !NETWORK_CODES.has(code)) return new HostError("TLS_FAILED", { server, reason }, options);
  return new HostError("SERVER_UNREACHABLE", { server, reason }, options);
}

/** Without saying to whom, and without a code of ours. */
export function networkReason(thrown: unknown): string {
  const { code, words } = readError(thrown);
  return code && words ? `${code} (${words})` : code || words;
}

function readError(thrown: unknown): { readonly code: string; readonly words: string } {
  const { code = "", message, reason: tlsReason } = innermost(thrown as NetworkError);
  const [words = ""] = (tlsReason ?? message).split("\n", 1);
  return { code, words };
}

/** Where several addresses were tried, the first says enough. */
function innermost(error: NetworkError): NetworkError {
  const [first] = error instanceof AggregateError ? (error.errors as NetworkError[]) : [];
  return first ?? error;
}
