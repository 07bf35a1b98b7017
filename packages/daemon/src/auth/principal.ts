/** The holder of a token: what a request on the TCP port may do. Logins, decisions, sessions and limits belong to it. */
import type { Caller } from "@plugboard/contracts";

export interface Principal {
  /** Identifies the principal to the gateway. Its id is unique among all kinds of tokens. */
  readonly caller: Caller;
  /** `owner`: the user of this host. `client`: a named token. `subject`: a token of the external issuer. */
  readonly kind: "owner" | "client" | "subject";
  /** The only profiles that the principal may use. By default all servers and all profiles. */
  readonly profiles?: readonly string[];
  /** True if the client's own permission prompt counts as the user's permission. */
  readonly mayApprove: boolean;
}

/** The id of the owner. No named token may have it. */
export const OWNER_ID = "owner";

export function toCaller(id: string): Caller {
  return { kind: "front", id, principal: id };
}
