import type { HostErrorJson } from "../errors/error.ts";

/** What may be told of a login: never a token, never a secret. */
export interface LoginStatus {
  /** Which of the user's logins at that server, as the definition names it. */
  readonly account?: string;
  /** Who has logged in, as the authorization server put it, if it did. Shown only, never relied on. */
  readonly user?: string;
  /** The authorization server. */
  readonly issuer: string;
  readonly scope?: string;
  /** When the token ends; absent if that was not said. */
  readonly expiresAt?: number;
  /** Whether it is renewed without the user. */
  readonly renewable: boolean;
}

/** One login that is kept. */
export interface StoredLogin extends LoginStatus {
  /** The server's id when it was made; it holds for the resource, whatever the server is called. */
  readonly server: string;
  readonly resource: string;
}

/** Where logins are kept: in a file encrypted with a key in the keyring, in one that only its owner may read, or not at all. */
export type LoginBackend = "keyring" | "file" | "memory";

export interface LoginList {
  readonly backend: LoginBackend;
  /** Absent where nothing is kept. */
  readonly file?: string;
  /** Why it is not the keyring. */
  readonly note?: string;
  /** Why it can't be told which logins there are. */
  readonly unreadable?: HostErrorJson;
  /** Where those were left that could not be read when they were to be kept elsewhere. */
  readonly leftBehind?: string;
  readonly logins: readonly StoredLogin[];
}

export interface LogoutReport {
  /** Whether there was a login. */
  readonly forgotten: boolean;
  /** Whether the authorization server was told, and took it back: `unsupported` if it has no address for that. */
  readonly revoked: "yes" | "no" | "unsupported";
}
