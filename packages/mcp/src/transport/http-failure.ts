/** What went wrong on the way to an HTTP server, in words. */
import { HostError } from "@plugboard/contracts";

const NOT_REACHED = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

interface Attempt {
  readonly server: string;
  readonly secure: boolean;
  /** Whether there ever was a connection. */
  readonly connected: boolean;
}

export function networkFailure(thrown: unknown, { server, secure, connected }: Attempt): HostError {
  const { code = "", message } = thrown as NodeJS.ErrnoException;
  const [words = ""] = message.split("\n", 1);
  const said = [code, words && `(${words})`].filter(Boolean).join(" ");
  if (NOT_REACHED.has(code)) return new HostError("SERVER_UNREACHABLE", { server, reason: said }, { cause: thrown });
  if (connected) return new HostError("CONNECTION_LOST", { server, reason: said }, { cause: thrown });
  const reason = secure ? `TLS could not be set up: ${said}` : said;
  return new HostError("SERVER_UNREACHABLE", { server, reason }, { cause: thrown });
}
