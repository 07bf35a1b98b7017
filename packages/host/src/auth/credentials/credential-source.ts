/** The source of the credentials for one server. Connections with equal definitions share it. */
import type { LoginStatus } from "@plugboard/contracts";
import type { Credentials } from "@plugboard/mcp";

export type HeaderFields = Awaited<ReturnType<Credentials["headers"]>>;

export interface CredentialSource extends Credentials {
  /** Equal for sources with equal credentials. Part of the key of a connection. Contains no secret. */
  readonly key: string;
  /** The current secrets, which logs and errors must not show. */
  secrets(): readonly string[];
  /** Returns the current login for display, or undefined if there is none. */
  status(): LoginStatus | undefined;
  /** Called when the server has accepted the credentials of a connection. */
  markAccepted?(): void;
  /** Calls the listener when the credentials may have changed. Returns a function that removes the listener. */
  onChanged(listener: () => void): () => void;
}

const EMPTY_HEADERS = {};

/** Returns the headers of a request without credentials. */
export function noHeaders(): HeaderFields {
  return EMPTY_HEADERS;
}
