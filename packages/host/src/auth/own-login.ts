/** Decides with whose login the requests of a gateway client are sent: the owner's, or that of its principal. */
import type { ConfiguredServer } from "@plugboard/config";
import type { LoginPrincipal } from "./vault/login-record.ts";

/** A principal of the gateway, and the mode for servers whose definition does not set `login`. */
export interface PrincipalLogins {
  readonly principal: LoginPrincipal;
  readonly byDefault: LoginMode;
}

/** `shared`: all clients use the owner's login. `each`: each principal logs in itself. */
export type LoginMode = "shared" | "each";

/** Returns the principal, if it has to log in itself. Otherwise the owner's login or the definition is used. */
export function ownLogin(
  { definition }: Pick<ConfiguredServer, "definition">,
  logins: PrincipalLogins,
): LoginPrincipal | undefined {
  if (!("auth" in definition)) return undefined;
  const { auth, headers, login = logins.byDefault } = definition;
  if (login === "shared" || (auth.type !== "oauth" && auth.type !== "none")) return undefined;
  // The definition has the credentials. `LoginManager.credentialsFor` decides in the same way.
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) return undefined;
  return logins.principal;
}
