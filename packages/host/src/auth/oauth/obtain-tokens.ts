/** One login from start to end: where, as whom, then the step that a person has to take, then the tokens. */
import { HostError, parseUrl } from "@plugboard/contracts";
import type { LoginStep, LoginMethod } from "@plugboard/contracts";
import type { OAuthClient, OAuthProvider, OAuthTokens } from "@plugboard/mcp/oauth";
import { clientFromRecord } from "./convert-login-record.ts";
import type { UserAuth } from "./oauth-login.ts";
import type { LoginRecord } from "../vault/login-record.ts";
import type { OAuth, ProviderDiscovery } from "./provider-discovery.ts";

/** How whoever logs in is talked with. */
export interface LoginInteraction {
  readonly method?: LoginMethod | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Puts the step to a person. Resolves with the address that they say the browser ended at, and rejects
   * if they give up. The signal fires when it is no longer needed.
   */
  readonly promptStep: (step: LoginStep, details: LoginDetails, done: AbortSignal) => Promise<URL>;
}

export interface LoginDetails {
  readonly issuer: string;
  readonly scope?: string;
}

export interface ObtainTokensOptions {
  readonly discovery: ProviderDiscovery;
  readonly auth: UserAuth;
  /** The login that there was, whose client may still be good. */
  readonly previous: LoginRecord | undefined;
  /** That of the last login, if there was one. */
  readonly previousIssuer?: string | undefined;
  /** What is to be granted beside what is asked for anyway. */
  readonly extraScope?: string;
  readonly interaction: LoginInteraction;
}

export interface ObtainedTokens {
  readonly provider: OAuthProvider;
  readonly client: OAuthClient;
  readonly tokens: OAuthTokens;
  readonly scope: string | undefined;
}

export async function obtainTokens(options: ObtainTokensOptions): Promise<ObtainedTokens> {
  const { discovery, auth, previous, previousIssuer, extraScope, interaction } = options;
  const oauth = await discovery.loadOAuth();
  const ctx = await discovery.context(interaction.signal);
  const provider = await discovery.discover();
  const { challenge } = discovery;
  const settings = auth.type === "oauth" ? auth : undefined;
  const scope = oauth.selectScope({
    ...(settings?.scope !== undefined && { configured: settings.scope }),
    ...(challenge && { challenge }),
    ...(extraScope !== undefined && { granted: extraScope }),
    provider,
  });
  const details = { issuer: provider.issuer, ...(scope !== undefined && { scope }) };
  const scopeParams = scope === undefined ? {} : { scope };
  const identity = {
    ...scopeParams,
    ...(previous && previous.issuer === provider.issuer && { registered: clientFromRecord(previous) }),
    ...(settings?.clientMetadataUrl !== undefined && { clientMetadataUrl: settings.clientMetadataUrl }),
    ...(settings?.clientId !== undefined && {
      configured: {
        clientId: settings.clientId,
        ...(settings.clientSecret !== undefined && {
          clientSecret: settings.clientSecret,
          // Once given to one, it is not for another that takes its place.
          ...(previousIssuer !== undefined && { issuer: previousIssuer }),
        }),
      },
    }),
  };
  const done = new AbortController();
  try {
    if (interaction.method === "device") {
      const client = await oauth.resolveClient(provider, identity, ctx);
      const device = await oauth.beginDeviceAuthorization(provider, client, scopeParams, ctx);
      const { url, code, completeUrl } = device;
      const step = {
        type: "device" as const,
        url,
        code,
        ...(completeUrl !== undefined && { completeUrl }),
      };
      const declined = interaction.promptStep(step, details, done.signal).then(() => unexpectedAnswer());
      const pollSignal = interaction.signal ? AbortSignal.any([interaction.signal, done.signal]) : done.signal;
      const tokens = await Promise.race([device.waitForTokens(pollSignal), declined]);
      return { provider, client, tokens, scope };
    }
    return { ...(await viaBrowser()), provider, scope };
  } finally {
    done.abort();
  }

  async function viaBrowser(): Promise<{ readonly client: OAuthClient; readonly tokens: OAuthTokens }> {
    const listening = await listenForRedirect(oauth, ctx.server, settings?.callbackPort, previous?.redirect_uri);
    try {
      const { redirectUri } = listening;
      const client = await oauth.resolveClient(provider, { ...identity, redirectUri }, ctx);
      const authorization = await oauth.beginAuthorization(provider, client, { ...scopeParams, redirectUri }, ctx);
      const step = { type: "browser" as const, url: authorization.url, redirectUri };
      const came = listening.waitForCallback(authorization.state, (url) => authorization.redeem(url));
      const pasted = interaction.promptStep(step, details, done.signal).then((url) => authorization.redeem(url));
      const tokens = await Promise.race([came, pasted]);
      return { client, tokens };
    } finally {
      await listening.close();
    }
  }
}

/** A client that was registered may come back to where it said, and not every server takes another port for the same. */
async function listenForRedirect(
  oauth: OAuth,
  server: string,
  port: number | undefined,
  previousRedirectUri: string | undefined,
) {
  if (port !== undefined) return oauth.listenForCallback({ server, port });
  // People edit files.
  const previousPort = Number(previousRedirectUri === undefined ? 0 : (parseUrl(previousRedirectUri)?.port ?? 0));
  return oauth.listenForCallback({ server, port: previousPort }).catch(() => oauth.listenForCallback({ server }));
}

function unexpectedAnswer(): never {
  throw new HostError("INTERNAL", { reason: "a step with a code was answered with an address" });
}
