/** One login from start to end: where, as whom, then the step that a person has to take, then the tokens. */
import { HostError, parseUrl } from "@plugboard/contracts";
import type { LoginStep, LoginWay } from "@plugboard/contracts";
import type { OAuthClient, OAuthProvider, Tokens } from "@plugboard/mcp/oauth";
import { clientOf } from "./kept-login.ts";
import type { PersonAuth } from "./login.ts";
import type { KeptLogin } from "./stored-login.ts";
import type { OAuth, WhereToLogIn } from "./where-to-log-in.ts";

/** How whoever logs in is talked with. */
export interface LoginTalk {
  readonly how?: LoginWay | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Puts the step to a person. Resolves with the address that they say the browser ended at, and rejects
   * if they give up. The signal fires when it is no longer needed.
   */
  readonly step: (step: LoginStep, about: LoginAbout, done: AbortSignal) => Promise<URL>;
}

export interface LoginAbout {
  readonly issuer: string;
  readonly scope?: string;
}

export interface AuthorizeOptions {
  readonly where: WhereToLogIn;
  readonly auth: PersonAuth;
  /** The login that there was, whose client may still be good. */
  readonly known: KeptLogin | undefined;
  /** That of the last login, if there was one. */
  readonly issuer?: string | undefined;
  /** What is to be granted beside what is asked for anyway. */
  readonly more?: string;
  readonly talk: LoginTalk;
}

export interface Authorized {
  readonly provider: OAuthProvider;
  readonly client: OAuthClient;
  readonly tokens: Tokens;
  readonly scope: string | undefined;
}

export async function authorize(options: AuthorizeOptions): Promise<Authorized> {
  const { where, auth, known, issuer, more, talk } = options;
  const oauth = await where.oauth();
  const ctx = await where.context(talk.signal);
  const provider = await where.find();
  const { challenge } = where;
  const settings = auth.type === "oauth" ? auth : undefined;
  const scope = oauth.selectScope({
    ...(settings?.scope !== undefined && { configured: settings.scope }),
    ...(challenge && { challenge }),
    ...(more !== undefined && { granted: more }),
    provider,
  });
  const about = { issuer: provider.issuer, ...(scope !== undefined && { scope }) };
  const wanted = scope === undefined ? {} : { scope };
  const identity = {
    ...wanted,
    ...(known && known.issuer === provider.issuer && { known: clientOf(known) }),
    ...(settings?.clientMetadataUrl !== undefined && { clientMetadataUrl: settings.clientMetadataUrl }),
    ...(settings?.clientId !== undefined && {
      configured: {
        clientId: settings.clientId,
        ...(settings.clientSecret !== undefined && {
          clientSecret: settings.clientSecret,
          // Once given to one, it is not for another that takes its place.
          ...(issuer !== undefined && { issuer }),
        }),
      },
    }),
  };
  const done = new AbortController();
  try {
    if (talk.how === "device") {
      const client = await oauth.identify(provider, identity, ctx);
      const device = await oauth.beginDevice(provider, client, wanted, ctx);
      const { url, code, completeUrl } = device;
      const step = {
        type: "device" as const,
        url,
        code,
        ...(completeUrl !== undefined && { complete_url: completeUrl }),
      };
      const givenUp = talk.step(step, about, done.signal).then(() => never());
      const over = talk.signal ? AbortSignal.any([talk.signal, done.signal]) : done.signal;
      const tokens = await Promise.race([device.wait(over), givenUp]);
      return { provider, client, tokens, scope };
    }
    return { ...(await byBrowser()), provider, scope };
  } finally {
    done.abort();
  }

  async function byBrowser(): Promise<{ readonly client: OAuthClient; readonly tokens: Tokens }> {
    const listening = await listen(oauth, ctx.server, settings?.callbackPort, known?.redirect_uri);
    try {
      const { redirectUri } = listening;
      const client = await oauth.identify(provider, { ...identity, redirectUri }, ctx);
      const authorization = await oauth.beginAuthorization(provider, client, { ...wanted, redirectUri }, ctx);
      const step = { type: "browser" as const, url: authorization.url, redirect_uri: redirectUri };
      const came = listening.receive(authorization.state, (url) => authorization.redeem(url));
      const pasted = talk.step(step, about, done.signal).then((url) => authorization.redeem(url));
      const tokens = await Promise.race([came, pasted]);
      return { client, tokens };
    } finally {
      await listening.close();
    }
  }
}

/** A client that was registered may come back to where it said, and not every server takes another port for the same. */
async function listen(oauth: OAuth, server: string, port: number | undefined, before: string | undefined) {
  if (port !== undefined) return oauth.listenForCallback({ server, port });
  // People edit files.
  const same = Number(before === undefined ? 0 : (parseUrl(before)?.port ?? 0));
  return oauth.listenForCallback({ server, port: same }).catch(() => oauth.listenForCallback({ server }));
}

function never(): never {
  throw new HostError("INTERNAL", { what: "a step with a code was answered with an address" });
}
