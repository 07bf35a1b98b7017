/** What the token of a request on the TCP port gives access to. */
import type { Principal } from "@plugboard/contracts";

export interface TokenAccess {
  readonly principal: Principal;
  /** `owner`: the user of this host. `client`: a named token. `subject`: a token of the external issuer. */
  readonly kind: "owner" | "client" | "subject";
  /** The only profiles that the principal may use. By default all servers and all profiles. */
  readonly profiles?: readonly string[];
}
