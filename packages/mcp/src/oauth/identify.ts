/**
 * As whom to log in: as the user configured, else by a document that the
 * authorization server can fetch, else as it was registered there before, else by
 * registering now. What is known to one authorization server is never shown to another.
 */
import { HostError } from "@plugboard/contracts";
import { quote } from "../wire/quote.ts";
import { secretAuthMethod } from "./client-auth.ts";
import type { OAuthClient } from "./oauth-client.ts";
import type { OAuthContext } from "./oauth-context.ts";
import type { OAuthProvider } from "./oauth-provider.ts";
import { refuseWithoutPkce } from "./pkce.ts";
import { register } from "./register.ts";

export interface ConfiguredClient {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** PEM. */
  readonly privateKey?: string;
}

export interface WantedIdentity {
  readonly configured?: ConfiguredClient;
  /** The address of a client ID metadata document. */
  readonly clientMetadataUrl?: string;
  /** Of an earlier registration. */
  readonly known?: OAuthClient;
  /** Where the browser is to be sent back to; none for a login without one. */
  readonly redirectUri?: string;
  /** What is going to be asked for. */
  readonly scope?: string;
}

export async function identify(provider: OAuthProvider, want: WantedIdentity, ctx: OAuthContext): Promise<OAuthClient> {
  // Before anything is left behind at a server that is going to be refused.
  if (want.redirectUri !== undefined) refuseWithoutPkce(provider, ctx);
  if (want.configured) return configuredClient(provider, want.configured);
  const byDocument = documentClient(provider, want.clientMetadataUrl);
  if (byDocument) return byDocument;
  if (want.known && isStillGood(want.known, provider, want, ctx)) return want.known;
  if (provider.metadata.registration_endpoint !== undefined) return register(provider, want, ctx);
  const what = `the authorization server ${quote(provider.issuer)} knows only clients that are set up there; set client_id`;
  throw new HostError("LOGIN_NOT_OFFERED", { server: ctx.server, what });
}

function configuredClient({ issuer, metadata }: OAuthProvider, configured: ConfiguredClient): OAuthClient {
  const { clientId, clientSecret, privateKey } = configured;
  const base = { clientId, origin: "configured", issuer } as const;
  if (privateKey !== undefined) return { ...base, privateKey, authMethod: "private_key_jwt" };
  if (clientSecret === undefined) return { ...base, authMethod: "none" };
  return { ...base, clientSecret, authMethod: secretAuthMethod(metadata) };
}

function documentClient({ issuer, metadata }: OAuthProvider, url: string | undefined): OAuthClient | undefined {
  if (!metadata.client_id_metadata_document_supported || url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, pathname, hash } = new URL(url);
  if (protocol !== "https:" || pathname === "/" || hash !== "") return undefined;
  return { clientId: url, authMethod: "none", origin: "document", issuer };
}

function isStillGood(
  { origin, issuer, redirectUri, secretExpiresAt }: OAuthClient,
  provider: OAuthProvider,
  want: WantedIdentity,
  { clock }: OAuthContext,
): boolean {
  if (origin !== "registered" || (issuer !== undefined && issuer !== provider.issuer)) return false;
  if (want.redirectUri !== undefined && want.redirectUri !== redirectUri) return false;
  return secretExpiresAt === undefined || secretExpiresAt > clock.now();
}
