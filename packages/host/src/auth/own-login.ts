/** Decides whose login the requests of a client of the gateway have: the owner's, or that of the client's principal. */
import type { ConfiguredServer } from "@plugboard/config";
import type { LoginPrincipal } from "./vault/login-record.ts";

/** A principal of the gateway, and whether it logs in itself at servers whose definition does not say. */
export interface PrincipalLogins {
  readonly principal: LoginPrincipal;
  readonly byDefault: LoginMode;
}

export type LoginMode = "shared" | "each";

/** Returns undefined if the server gets the owner's login, or credentials that belong to its definition. */
export function ownLogin(
  { definition }: Pick<ConfiguredServer, "definition">,
  logins: PrincipalLogins,
): LoginPrincipal | undefined {
  if (!("auth" in definition)) return undefined;
  const { auth, headers, login = logins.byDefault } = definition;
  if (login === "shared" || (auth.type !== "oauth" && auth.type !== "none")) return undefined;
  // The definition has the credentials, as in `LoginManager.credentialsFor`.
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) return undefined;
  return logins.principal;
}
