/** Performs one login: discovers the authorization server, resolves the client, prompts the user, gets the tokens. */
import { abortable, HostError, isHostError, parseUrl } from "@plugboard/contracts";
import type { LoginStep, LoginMethod } from "@plugboard/contracts";
import type { OAuthClient, OAuthContext, OAuthProvider, OAuthTokens, ResolveClientOptions } from "@plugboard/mcp/oauth";
import { clientFromRecord } from "./convert-login-record.ts";
import type { LoginRecord } from "../vault/login-record.ts";
import type { OAuth, ProviderDiscovery } from "./provider-discovery.ts";
import type { UserAuth } from "./user-auth.ts";

/** How to log in, and how to reach the user. */
export interface LoginInteraction {
  readonly method?: LoginMethod | undefined;
  /**
   * True if the browser of the user can't be redirected to this host. The login then uses a device code if the
   * authorization server supports it. Otherwise the user pastes the redirect URL.
   */
  readonly remote?: true | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Shows the step to the user. Resolves with the redirect URL if the user pastes it, and rejects if the user
   * cancels. The signal is aborted when the step is no longer needed.
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
  /** The login before this one. Its registered client is used again if the issuer is the same. */
  readonly previous: LoginRecord | undefined;
  /** The issuer of the last login, which may have been deleted since. */
  readonly previousIssuer?: string | undefined;
  /** Scope to request in addition to the configured or advertised scope. */
  readonly extraScope?: string | undefined;
  readonly interaction: LoginInteraction;
}

export interface ObtainedTokens {
  readonly provider: OAuthProvider;
  readonly client: OAuthClient;
  readonly tokens: OAuthTokens;
  readonly scope: string | undefined;
}

interface LoginAttempt {
  readonly oauth: OAuth;
  readonly ctx: OAuthContext;
  readonly provider: OAuthProvider;
  readonly clientOptions: ResolveClientOptions;
  readonly scopeParams: { readonly scope?: string };
  readonly signal: AbortSignal | undefined;
  readonly promptStep: (step: LoginStep) => Promise<URL>;
  /** Aborted when the attempt has ended. */
  readonly done: AbortSignal;
}

export async function obtainTokens(options: ObtainTokensOptions): Promise<ObtainedTokens> {
  const { discovery, auth, previous, extraScope, interaction } = options;
  const { signal } = interaction;
  const oauth = await discovery.loadOAuth();
  const ctx = await discovery.context(signal);
  const provider = await discovery.discover();
  const { challenge } = discovery;
  const oauthSettings = auth.type === "oauth" ? auth : undefined;
  const scope = oauth.selectScope({
    ...(oauthSettings?.scope !== undefined && { configured: oauthSettings.scope }),
    ...(challenge && { challenge }),
    ...(extraScope !== undefined && { granted: extraScope }),
    provider,
  });
  const scopeParams = scope === undefined ? {} : { scope };
  const clientOptions = { ...scopeParams, ...clientOptionsOf(options, provider) };
  const details = { issuer: provider.issuer, ...scopeParams };
  const done = new AbortController();
  const promptStep = (step: LoginStep) => interaction.promptStep(step, details, done.signal);
  const attempt = { oauth, ctx, provider, clientOptions, scopeParams, signal, promptStep, done: done.signal };
  try {
    const { remote, method } = interaction;
    const callbackPort = oauthSettings?.callbackPort;
    const result = remote
      ? await logInRemotely(attempt, callbackPort)
      : method === "device"
        ? await waitForDevice(attempt, await beginDevice(attempt))
        : await logInWithBrowser(attempt, callbackPort, previous?.redirect_uri);
    return { ...result, provider, scope };
  } finally {
    done.abort();
  }
}

function clientOptionsOf(options: ObtainTokensOptions, provider: OAuthProvider): ResolveClientOptions {
  const { auth, previous, previousIssuer } = options;
  const registered = previous?.issuer === provider.issuer && { registered: clientFromRecord(previous) };
  if (auth.type !== "oauth") return { ...registered };
  const { clientMetadataUrl, clientId, clientSecret } = auth;
  const secret = clientSecret !== undefined && {
    clientSecret,
    // A secret that one authorization server has received is not sent to another.
    ...(previousIssuer !== undefined && { issuer: previousIssuer }),
  };
  return {
    ...registered,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    ...(clientId !== undefined && { configured: { clientId, ...secret } }),
  };
}

type LoginResult = Pick<ObtainedTokens, "client" | "tokens">;

async function beginDevice({ oauth, ctx, provider, clientOptions, scopeParams }: LoginAttempt) {
  const client = await oauth.resolveClient(provider, clientOptions, ctx);
  return { client, device: await oauth.beginDeviceAuthorization(provider, client, scopeParams, ctx) };
}

async function waitForDevice(
  { signal, promptStep, done }: LoginAttempt,
  { client, device }: Awaited<ReturnType<typeof beginDevice>>,
): Promise<LoginResult> {
  const { url, code, completeUrl } = device;
  const step = { type: "device" as const, url, code, ...(completeUrl !== undefined && { completeUrl }) };
  // Rejects if the user cancels. It should never resolve, because a login with a device code has no redirect URL.
  const cancelled = promptStep(step).then(() => unexpectedAnswer());
  const pollSignal = signal ? AbortSignal.any([signal, done]) : done;
  const tokens = await Promise.race([device.waitForTokens(pollSignal), cancelled]);
  return { client, tokens };
}

/**
 * The port in the redirect URL of a remote login. Nothing listens there, and the user copies the URL from the browser.
 */
const REMOTE_REDIRECT_PORT = 7439;

async function logInRemotely(attempt: LoginAttempt, callbackPort = REMOTE_REDIRECT_PORT): Promise<LoginResult> {
  const { oauth, ctx, provider, clientOptions, scopeParams, promptStep, signal } = attempt;
  if (provider.metadata.device_authorization_endpoint !== undefined) {
    // The authorization server may support device codes, but refuse them to this client.
    const begun = await beginDevice(attempt).catch((thrown: unknown) => {
      if (isHostError(thrown) && (thrown.code === "LOGIN_FAILED" || thrown.code === "LOGIN_NOT_OFFERED"))
        return undefined;
      throw thrown;
    });
    if (begun) return waitForDevice(attempt, begun);
  }
  const redirectUri = `http://127.0.0.1:${callbackPort}/callback`;
  const client = await oauth.resolveClient(provider, { ...clientOptions, redirectUri }, ctx);
  const authorization = await oauth.beginAuthorization(provider, client, { ...scopeParams, redirectUri }, ctx);
  const step = { type: "browser" as const, url: authorization.url, redirectUri };
  const tokens = await abortable(promptStep(step), signal).then((url) => authorization.redeem(url));
  return { client, tokens };
}

async function logInWithBrowser(
  attempt: LoginAttempt,
  callbackPort: number | undefined,
  previousRedirectUri: string | undefined,
): Promise<LoginResult> {
  const { oauth, ctx, provider, clientOptions, scopeParams, promptStep } = attempt;
  const listener = await listenForRedirect(oauth, ctx.server, callbackPort, previousRedirectUri);
  try {
    const { redirectUri } = listener;
    const client = await oauth.resolveClient(provider, { ...clientOptions, redirectUri }, ctx);
    const authorization = await oauth.beginAuthorization(provider, client, { ...scopeParams, redirectUri }, ctx);
    const step = { type: "browser" as const, url: authorization.url, redirectUri };
    const received = listener.waitForCallback(authorization.state, (url) => authorization.redeem(url));
    const pasted = promptStep(step).then((url) => authorization.redeem(url));
    return { client, tokens: await Promise.race([received, pasted]) };
  } finally {
    await listener.close();
  }
}

/**
 * Listens on the configured port. Without one, listens on the port of the previous login if it is free, because some
 * authorization servers accept only the port of the registered redirect URI.
 */
async function listenForRedirect(
  oauth: OAuth,
  server: string,
  configuredPort: number | undefined,
  previousRedirectUri: string | undefined,
) {
  if (configuredPort !== undefined) return oauth.listenForCallback({ server, port: configuredPort });
  // The stored redirect URI may be invalid, because users edit the file.
  const previousUrl = previousRedirectUri === undefined ? undefined : parseUrl(previousRedirectUri);
  const port = Number(previousUrl?.port ?? 0);
  return oauth.listenForCallback({ server, port }).catch(() => oauth.listenForCallback({ server }));
}

function unexpectedAnswer(): never {
  throw new HostError("INTERNAL", { reason: "the device code step was answered with a redirect URL" });
}
