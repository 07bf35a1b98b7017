/** The `auth` of a definition for a server that a user logs in at. */
import type { ConfiguredEndpoints } from "@plugboard/mcp/oauth";
import type { Auth } from "../../config/definition/definition.ts";

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

/** Returns false if the definition names another client. */
export function acceptsClient(auth: UserAuth, clientId: string): boolean {
  return auth.type !== "oauth" || auth.clientId === undefined || auth.clientId === clientId;
}
