/** Types of logins at servers: their status, their storage, and the result of a logout. */
import type { HostErrorJson } from "../../errors/error.ts";

/** The public part of a login. It contains no token and no secret. */
export interface LoginStatus {
  /** The `account` of the server definition. It separates several logins at one URL. */
  readonly account?: string;
  /** The user name from the authorization server, for display only. */
  readonly user?: string;
  /** The authorization server. */
  readonly issuer: string;
  readonly scope?: string;
  /** When the access token expires, in milliseconds since 1970. Absent if unknown. */
  readonly expiresAt?: number;
  /** True if the login can be refreshed without the user. */
  readonly renewable: boolean;
}

/** A stored login. */
export interface StoredLogin extends LoginStatus {
  /** The server id at the time of the login. The login is valid for the resource under any server id. */
  readonly server: string;
  readonly resource: string;
  /** The name of the principal of the gateway whose own login it is. Absent for the owner's. */
  readonly principal?: string;
}

/**
 * Where logins and secrets are stored. `keyring`: in a file that is encrypted with a key from the keyring. `file`: in a
 * plain file that only its owner can read. `memory`: in memory.
 */
export type LoginBackend = "keyring" | "file" | "memory";

export interface LoginList {
  readonly backend: LoginBackend;
  /** Absent if logins are stored in memory only. */
  readonly file?: string;
  /** Explains why the keyring is not used. */
  readonly note?: string;
  /** Set if the stored logins can't be read. */
  readonly unreadable?: HostErrorJson;
  /**
   * The path of a backup of the old login file. Set if the file could not be decrypted when the backend was changed.
   */
  readonly leftBehind?: string;
  /** The path of a backup of the old secret file. Set if that file could not be decrypted. */
  readonly leftBehindSecrets?: string;
  readonly logins: readonly StoredLogin[];
}

export interface LogoutReport {
  /** True if a login existed and was deleted. */
  readonly forgotten: boolean;
  /** Whether the authorization server has revoked the login. `unsupported`: it has no revocation endpoint. */
  readonly revoked: "yes" | "no" | "unsupported";
}
