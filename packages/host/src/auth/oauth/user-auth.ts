/** The `auth` setting of a server at which a user logs in. With type `none`, the host discovers how to log in. */
import type { ConfiguredEndpoints } from "@plugboard/mcp/oauth";
import type { Auth } from "@plugboard/config";

export type UserAuth = Extract<Auth<string>, { type: "oauth" | "none" }>;

/** Returns undefined if the definition names no endpoints. */
export function configuredEndpoints(auth: UserAuth): ConfiguredEndpoints | undefined {
  if (auth.type !== "oauth") return undefined;
  const { authorizationUrl, tokenUrl, registrationUrl } = auth;
  if (authorizationUrl === undefined && tokenUrl === undefined && registrationUrl === undefined) return undefined;
  return {
    ...(authorizationUrl !== undefined && { authorizationUrl }),
    ...(tokenUrl !== undefined && { tokenUrl }),
    ...(registrationUrl !== undefined && { registrationUrl }),
  };
}

/** Returns false if the definition names another OAuth client than the one that obtained a login. */
export function acceptsClient(auth: UserAuth, clientId: string): boolean {
  return auth.type !== "oauth" || auth.clientId === undefined || auth.clientId === clientId;
}
