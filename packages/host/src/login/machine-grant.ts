/** How tokens are asked for without anybody who logs in, as what a definition says that one is. */
import type { OAuthClient, OAuthContext, OAuthProvider, Tokens } from "@plugboard/mcp/oauth";
import type { Auth } from "../config/definition.ts";
import type { OAuth } from "./where-to-log-in.ts";

export type MachineAuth = Extract<Auth<string>, { type: "client_credentials" | "enterprise" }>;

export interface GrantRequest {
  readonly oauth: OAuth;
  readonly provider: OAuthProvider;
  /** What is in the file that the definition names, if it does. */
  readonly text: string;
  readonly scope: string | undefined;
  /** The authorization server that the client is for, once that is known. */
  readonly issuer: string | undefined;
  readonly ctx: OAuthContext;
}

/** The file that is read each time. */
export function fileOf(auth: MachineAuth): string | undefined {
  return auth.type === "enterprise" ? auth.idTokenFile : (auth.privateKeyFile ?? auth.assertionFile);
}

export async function grantTokens(auth: MachineAuth, request: GrantRequest): Promise<Tokens> {
  const { oauth, provider, text, issuer, ctx } = request;
  const { clientId, clientSecret } = auth;
  const scope = request.scope === undefined ? {} : { scope: request.scope };
  if (auth.type === "enterprise") {
    const idp = clientWith({ clientId: auth.idpClientId, clientSecret: auth.idpClientSecret });
    const from = { tokenUrl: auth.idpTokenUrl, client: idp };
    const assertion = await oauth.identityGrant(from, provider, { idToken: text, ...scope }, ctx);
    return oauth.jwtBearer(provider, clientWith({ clientId, clientSecret, issuer }), { assertion, ...scope }, ctx);
  }
  const privateKey = auth.privateKeyFile && text;
  const client = clientWith({ clientId, clientSecret, privateKey, issuer });
  if (auth.assertionFile !== undefined) return oauth.jwtBearer(provider, client, { assertion: text, ...scope }, ctx);
  return oauth.clientCredentials(provider, client, scope, ctx);
}

interface Known {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly privateKey?: string | undefined;
  readonly issuer?: string | undefined;
}

function clientWith({ clientId, clientSecret, privateKey, issuer }: Known): OAuthClient {
  const known = { clientId, origin: "configured" as const, ...(issuer !== undefined && { issuer }) };
  if (privateKey !== undefined) return { ...known, privateKey, authMethod: "private_key_jwt" };
  if (clientSecret !== undefined) return { ...known, clientSecret, authMethod: "client_secret_basic" };
  return { ...known, authMethod: "none" };
}
