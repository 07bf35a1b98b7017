/** Logs in with the official client, which stores everything in memory. No server listens at its redirect URI. */
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { completeLogin } from "@plugboard/testkit/complete-login";

export class MemoryOAuthProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadataUrl?: string;
  client?: StoredOAuthClientInformation;
  saved?: StoredOAuthTokens;
  authorizationUrl?: URL;
  discovered?: OAuthDiscoveryState;
  #verifier = "";

  constructor(redirectUrl = "http://127.0.0.1:1/callback", clientMetadataUrl?: string) {
    this.redirectUrl = redirectUrl;
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  get clientMetadata() {
    return {
      client_name: "official",
      redirect_uris: [this.redirectUrl],
      application_type: "native",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    };
  }

  state = () => "a-state";
  clientInformation = () => this.client;
  saveClientInformation = (client: StoredOAuthClientInformation) => void (this.client = client);
  tokens = () => this.saved;
  saveTokens = (tokens: StoredOAuthTokens) => void (this.saved = tokens);
  redirectToAuthorization = (url: URL) => void (this.authorizationUrl = url);
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;
  saveDiscoveryState = (state: OAuthDiscoveryState) => void (this.discovered = state);
  discoveryState = () => this.discovered;
}

/** Logs in as `user`, then connects with the given version negotiation mode. */
export async function logInWithSdk(
  url: string,
  mode: Mode = "legacy",
  provider = new MemoryOAuthProvider(),
  user = "ada",
) {
  const loginTransport = makeTransport(url, provider);
  await connectClient(loginTransport, mode).catch(() => {});
  const end = await completeLogin(provider.authorizationUrl?.href ?? "", { user });
  await loginTransport.finishAuth(new URL(end.url).searchParams);
  return { client: await connectClient(makeTransport(url, provider), mode), provider };
}

export type Mode = "legacy" | typeof MODERN;

export const MODERN = { pin: "2026-07-28" };

export async function connectClient(transport: StreamableHTTPClientTransport, mode: Mode = "legacy"): Promise<Client> {
  const client = new Client({ name: "official", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return client;
}

export function makeTransport(url: string, authProvider: OAuthClientProvider): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), { authProvider });
}

export async function callWhoami(client: Client): Promise<unknown> {
  const [block] = (await client.callTool({ name: "whoami" })).content;
  return JSON.parse(block?.type === "text" ? block.text : "");
}
