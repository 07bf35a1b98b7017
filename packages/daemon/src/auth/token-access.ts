/** The access that the token of a request on the TCP port gives. */
import type { Holder, Principal } from "@plugboard/contracts";

export interface TokenAccess {
  readonly principal: Principal;
  /** The holder in the table of rights. */
  readonly holder: Holder;
  /** The only profiles that the principal may use. By default all servers and all profiles. */
  readonly profiles?: readonly string[];
}
