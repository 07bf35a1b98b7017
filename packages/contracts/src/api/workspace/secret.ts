/** Types of the secrets that server definitions refer to with `$secret`. They never contain a value. */
import type { HostErrorJson } from "../../errors/error.ts";
import type { LoginBackend } from "./login.ts";

export interface SecretList {
  /** Where secrets are stored. Logins have the same backend. */
  readonly backend: LoginBackend;
  /** Absent if secrets are stored in memory only. */
  readonly file?: string;
  /** Explains why the keyring is not used. */
  readonly note?: string;
  /** Set if the stored secrets can't be read. */
  readonly unreadable?: HostErrorJson;
  readonly secrets: readonly SecretStatus[];
}

export interface SecretStatus {
  readonly name: string;
  /**
   * `stored`: Plugboard stores it. `keyring`: another program has put it into the keyring. `program`: the program that
   * uses the library supplies it. `missing`: a server refers to a secret that does not exist. `unknown`: it can't be
   * read.
   */
  readonly state: "stored" | "keyring" | "program" | "missing" | "unknown";
  /** When it was stored, in milliseconds since 1970. */
  readonly setAt?: number;
  /** The ids of the workspace's servers that refer to it. */
  readonly servers: readonly string[];
}
