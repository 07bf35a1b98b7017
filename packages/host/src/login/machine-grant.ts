/** How a program asks for its tokens, as what its definition says that it is. */
import type { OAuthClient, OAuthContext, OAuthProvider, Tokens } from "@plugboard/mcp/oauth";
import type { Auth } from "../config/definition.ts";
import type { OAuth } from "./where-to-log-in.ts";

export type MachineAuth = Extract<Auth<string>, { type: "client_credentials" }>;

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
export function fileOf({ privateKeyFile, assertionFile }: MachineAuth): string | undefined {
  return privateKeyFile ?? assertionFile;
}

export function grantTokens(auth: MachineAuth, request: GrantRequest): Promise<Tokens> {
  const { oauth, provider, text, issuer, ctx } = request;
  const { clientId, clientSecret, privateKeyFile, assertionFile } = auth;
  const scope = request.scope === undefined ? {} : { scope: request.scope };
  const client = clientWith({ clientId, clientSecret, privateKey: privateKeyFile && text, issuer });
  if (assertionFile !== undefined) return oauth.jwtBearer(provider, client, { assertion: text, ...scope }, ctx);
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
