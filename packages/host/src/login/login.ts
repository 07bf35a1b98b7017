/**
 * A person's login at one server: sent with each request, renewed before it ends
 * or when it is refused, and made anew with the person's help. Several
 * connections, and several processes, share it: whoever renews it first does so
 * for all, and nobody forgets what another has just obtained.
 */
import { HostError, toHostError } from "@plugboard/contracts";
import type { HostFact, LoginReason, LoginStatus, LogoutReport } from "@plugboard/contracts";
import { steadyNow } from "@plugboard/mcp";
import type { AuthRefusal, Clock, CredentialRequest } from "@plugboard/mcp";
import type { OAuthClient } from "@plugboard/mcp/oauth";
import { concealing } from "../activity/conceal.ts";
import type { Auth } from "../config/definition.ts";
import { Listeners } from "./access.ts";
import type { Access } from "./access.ts";
import { authorize } from "./authorize.ts";
import type { LoginTalk } from "./authorize.ts";
import { HeldLogin } from "./held-login.ts";
import { clientOf, secretsIn, statusOf, tokensOf, toKept } from "./kept-login.ts";
import type { LoginStore } from "./login-store.ts";
import type { KeptLogin, LoginKey } from "./stored-login.ts";
import { rejectionOf } from "./rejection.ts";
import { ShownTokens } from "./shown-tokens.ts";
import { WhereToLogIn } from "./where-to-log-in.ts";
import type { OAuth } from "./where-to-log-in.ts";

type Headers = { readonly [name: string]: string };
export type PersonAuth = Extract<Auth<string>, { type: "oauth" | "none" }>;

export interface LoginOptions {
  readonly key: string;
  /** How errors and questions call the server. */
  readonly server: string;
  /** By which it is kept. */
  readonly kept: LoginKey;
  readonly auth: PersonAuth;
  readonly store: LoginStore;
  readonly clock: Clock;
  readonly state: (fact: HostFact) => void;
  /** Fires when the host is closed. */
  readonly ended: AbortSignal;
}

/** Who has not got its turn by then waits for somebody. */
const OTHERS_MS = 1000;

/** From then on it takes somebody who asks for it. */
const MAX_IN_VAIN = 3;
/** Between two attempts to renew what has not been refused. */
const PAUSE_MS = 30_000;

export class Login implements Access {
  readonly key: string;
  readonly #options: LoginOptions;
  readonly #where: WhereToLogIn;
  readonly #listeners = new Listeners();
  readonly #shown: ShownTokens;
  readonly #held: HeldLogin;
  #oauth: OAuth | undefined;
  #loading: Promise<void> | undefined;
  #loaded = false;
  #renewing: Promise<boolean> | undefined;
  /** When it was last tried to renew it before its end, in vain. */
  #failedAt = -Infinity;
  #underway: Promise<void> | undefined;
  #reason: LoginReason = "first";
  /** All that was ever asked for, and what is to be asked for the next time. */
  #asked: string | undefined;
  #more: string | undefined;
  /** How often somebody has logged in since the server was last content with it. */
  #inVain = 0;

  constructor(options: LoginOptions) {
    const { server, kept, auth, clock, store, state, ended } = options;
    this.key = options.key;
    this.#options = options;
    this.#shown = new ShownTokens(clock);
    this.#held = new HeldLogin({
      key: kept,
      server,
      store,
      state,
      fits: (login) => this.#fits(login),
      onTaken: (login) => this.#show(login),
      conceal: (error) => this.#concealed(error),
    });
    const configured = auth.type === "oauth" ? endpointsOf(auth) : undefined;
    this.#where = new WhereToLogIn({ server, url: kept.resource, clock, ended, ...(configured && { configured }) });
  }

  headers(request: CredentialRequest): Headers | Promise<Headers> {
    if (!this.#loaded) return this.load().then(() => this.headers(request));
    if (!this.#isDue) return this.#shown.headers(request);
    // Whatever comes of it: what is there may still be good, and the server says so if it is not.
    const show = () => this.#shown.headers(request);
    const showAnyway = () => {
      this.#failedAt = steadyNow(this.#options.clock);
      return show();
    };
    return this.#renew(this.#held.now!.access_token).then(show, showAnyway);
  }

  async refused(refusal: AuthRefusal, sent: Headers): Promise<boolean> {
    if (this.#held.isUnreadable) await this.reload();
    this.#held.throwIfUnreadable();
    // Others have renewed it meanwhile.
    if (this.#held.now && !this.#shown.areIn(sent)) return true;
    if (this.#shown.learnNonce(refusal, sent)) return true;
    const heard = await this.#where.heard(refusal.challenge);
    if (refusal.status === 403) throw await this.#moreWanted(heard.scope);
    const { now: login } = this.#held;
    if (!login) throw await this.#firstWanted();
    if (await this.#renew(login.access_token)) return true;
    throw this.#wanted("expired", "the login has ended");
  }

  /** Why somebody would have to log in now. */
  get reason(): LoginReason {
    return this.#reason;
  }

  /** What is known of it before it begins. */
  get about(): { readonly issuer?: string; readonly scope?: string } {
    const { found } = this.#where;
    return {
      ...(found && { issuer: found.issuer }),
      ...(this.#reason === "scope" && this.#more !== undefined && { scope: this.#more }),
    };
  }

  /** The server was content with none of those that were made: whoever still wants one has to say so. */
  get isInVain(): boolean {
    return this.#reason !== "scope" && this.#inVain >= MAX_IN_VAIN;
  }

  get underway(): Promise<void> | undefined {
    return this.#underway;
  }

  secrets(): readonly string[] {
    const { auth } = this.#options;
    const configured = auth.type === "oauth" && auth.clientSecret !== undefined ? [auth.clientSecret] : [];
    return [...(this.#held.now ? secretsIn(this.#held.now) : []), ...configured];
  }

  status(): LoginStatus | undefined {
    return this.#held.now && statusOf(this.#held.now);
  }

  accepted(): void {
    this.#inVain = 0;
  }

  onChanged(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  load(): Promise<void> {
    this.#loading ??= this.reload();
    return this.#loading;
  }

  /** Another process may have logged in, or out. */
  async reload(): Promise<void> {
    const isAnother = await this.#held.read();
    this.#loaded = true;
    if (isAnother) this.#listeners.tell();
  }

  /** Resolves when what is being renewed, or was obtained, is written down. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#renewing, this.#held.settled()]);
  }

  /** By the browser, or with a code. Whoever comes while that is under way waits for the same. */
  logIn(talk: LoginTalk): Promise<void> {
    if (this.#underway) this.#options.state({ type: "login.waiting", server: this.#options.server });
    this.#underway ??= this.#logIn(talk)
      .catch((error: unknown) => {
        throw this.#concealed(error);
      })
      .finally(() => void (this.#underway = undefined));
    return this.#underway;
  }

  /** Forgotten in any case; what the authorization server makes of it is told. */
  logOut(): Promise<LogoutReport> {
    // Who is just renewing it would write it down again.
    return this.#held.exclusively("renew", () => this.#logOut());
  }

  async #logOut(): Promise<LogoutReport> {
    const { server, state } = this.#options;
    const login = await this.#fresh();
    if (!login) return { forgotten: false, revoked: "no" };
    const revoked = await this.#revoke(login);
    await this.#held.forget();
    // Whoever logs out may go elsewhere, and for something else.
    this.#asked = this.#more = undefined;
    this.#reason = "first";
    state({ type: "login.changed", server, change: "logged_out" });
    this.#listeners.tell();
    return { forgotten: true, revoked };
  }

  get #isDue(): boolean {
    const { now: login } = this.#held;
    if (!login || login.refresh_token === undefined || !this.#oauth) return false;
    // Not each request waits for an authorization server that is away: if what is there is refused, that will show.
    if (steadyNow(this.#options.clock) - this.#failedAt < PAUSE_MS) return false;
    return this.#oauth.shouldRenew(tokensOf(login), this.#options.clock.now(), login.obtained_at);
  }

  /** Whether there is another token now. Rejects if that could not be found out. */
  #renew(rejected: string): Promise<boolean> {
    this.#renewing ??= this.#held
      .exclusively("renew", () => this.#renewed(rejected))
      .catch((error: unknown) => {
        throw this.#concealed(error);
      })
      .finally(() => void (this.#renewing = undefined));
    return this.#renewing;
  }

  /** One process is at it at a time, so what is written down now is what there is. */
  async #renewed(rejected: string): Promise<boolean> {
    const login = await this.#fresh();
    if (login && login.access_token !== rejected) return true;
    if (login?.refresh_token === undefined) return false;
    const provider = await this.#where.find();
    // What one authorization server has given is nothing to another.
    if (provider.issuer !== login.issuer) return false;
    const { refreshTokens } = await this.#where.oauth();
    const client = this.#clientOf(login);
    const { kept, clock, server, state } = this.#options;
    try {
      const tokens = await refreshTokens(provider, client, tokensOf(login), await this.#where.context());
      await this.#held.keep(toKept({ key: kept, provider, client, tokens, now: clock.now() }));
    } catch (error) {
      if (rejectionOf(error) === undefined) throw error;
      await this.#held.giveUp(login);
      this.#reason = "expired";
      state({ type: "login.changed", server, change: "expired" });
      return false;
    }
    state({ type: "login.changed", server, change: "renewed" });
    return true;
  }

  /** What is there at this moment, in whatever process it was made. */
  async #fresh(): Promise<KeptLogin | undefined> {
    await this.reload();
    this.#held.throwIfUnreadable();
    return this.#held.now;
  }

  async #logIn(talk: LoginTalk): Promise<void> {
    const { kept, clock, server, state, auth } = this.#options;
    await this.load();
    const before = this.#held.now?.access_token;
    const wait = { ...(talk.signal && { signal: talk.signal }), patienceMs: Infinity };
    const begun = clock.after(OTHERS_MS, () => state({ type: "login.waiting", server }), true);
    await this.#held
      .exclusively(
        "login",
        async () => {
          begun();
          const known = await this.#fresh();
          // Another process was at it, and this one has waited for it.
          if (known && known.access_token !== before) return;
          // What was demanded and declined is not slipped in with something else.
          const more = joined(known?.scope, this.#asked, this.#reason === "scope" ? this.#more : undefined);
          this.#more = undefined;
          const again = { issuer: this.#held.issuer, ...(more !== undefined && { more }) };
          const made = await authorize({ where: this.#where, auth, known, ...again, talk });
          this.#asked = made.scope;
          // Who renews what there was before must not write over it.
          const login = toKept({ ...made, key: kept, now: clock.now() });
          await this.#held.exclusively("renew", () => this.#held.keep(login));
        },
        wait,
      )
      .finally(begun);
    if (this.#reason !== "scope") this.#inVain += 1;
    this.#reason = "expired";
    state({ type: "login.changed", server, change: "logged_in" });
    this.#listeners.tell();
  }

  async #show(login: KeptLogin | undefined): Promise<void> {
    if (!login) return this.#shown.useNone();
    // What most servers never need is not loaded for them.
    this.#oauth ??= await this.#where.oauth();
    this.#shown.use(tokensOf(login), this.#oauth);
  }

  /** One that was made as another client than the definition names now is none. */
  #fits({ client_id }: KeptLogin): boolean {
    const { auth } = this.#options;
    return auth.type !== "oauth" || auth.clientId === undefined || auth.clientId === client_id;
  }

  /** What the config has, the config keeps. */
  #clientOf(login: KeptLogin): OAuthClient {
    const { auth } = this.#options;
    const client = clientOf(login);
    if (client.origin !== "configured" || auth.type !== "oauth" || auth.clientSecret === undefined) return client;
    return { ...client, clientSecret: auth.clientSecret };
  }

  async #revoke(login: KeptLogin): Promise<LogoutReport["revoked"]> {
    try {
      const provider = await this.#where.find();
      if (provider.issuer !== login.issuer) return "no";
      const { revokeTokens } = await this.#where.oauth();
      return await revokeTokens(provider, this.#clientOf(login), tokensOf(login), await this.#where.context());
    } catch {
      // Told as "no": it is forgotten here whether or not it can be taken back there.
      return "no";
    }
  }

  /** Nobody is asked to log in where nothing says how. */
  async #firstWanted(): Promise<HostError> {
    const { auth, server } = this.#options;
    const wanted = this.#wanted(this.#reason === "expired" ? "expired" : "first");
    try {
      const { found } = await this.#where.find();
      if (found !== "defaults" || (auth.type === "oauth" && auth.clientId !== undefined)) return wanted;
      const what = "it publishes no metadata (`plugboard login` would try the addresses that were usual in 2025-03-26)";
      return new HostError("LOGIN_NOT_OFFERED", { server, what });
    } catch (error) {
      const told = this.#concealed(error);
      // What is only away for now is looked for again by whoever logs in.
      return told.code === "LOGIN_UNSAFE" || told.code === "LOGIN_NOT_OFFERED" ? told : wanted;
    }
  }

  /** What was asked for once and is wanted again is not going to be granted. */
  async #moreWanted(scope: string | undefined): Promise<HostError> {
    const { stepUp } = await this.#where.oauth();
    const more = stepUp(joined(this.#held.now?.scope, this.#asked), scope);
    if (more === undefined) return this.#refusal("it refuses what was granted", true);
    this.#more = more;
    // As scopes are written, and no more of it than a person reads.
    const named = stepUp(undefined, scope)?.slice(0, 200);
    return this.#wanted("scope", `it wants more than was granted: ${named}`);
  }

  #wanted(reason: LoginReason, why?: string): HostError {
    this.#reason = reason;
    if (this.isInVain) return this.#refusal("it refuses every login that is made", true);
    return this.#refusal(why, false);
  }

  #refusal(why: string | undefined, final: boolean): HostError {
    const { server } = this.#options;
    const details = { server, ...(why !== undefined && { why }) };
    return new HostError("AUTH_REQUIRED", details, final ? { cause: FINAL } : undefined);
  }

  /** What an authorization server says may quote what it was sent. */
  #concealed(error: unknown): HostError {
    const told = toHostError(error);
    return concealing(this.secrets())?.error(told) ?? told;
  }
}

/** The cause of an AUTH_REQUIRED that another login would not help. */
const FINAL = { final: true };

export function isFinal(error: HostError): boolean {
  return error.cause === FINAL;
}

function endpointsOf({ authorizationUrl, tokenUrl, registrationUrl }: Extract<PersonAuth, { type: "oauth" }>) {
  if (authorizationUrl === undefined && tokenUrl === undefined && registrationUrl === undefined) return undefined;
  return {
    ...(authorizationUrl !== undefined && { authorizationUrl }),
    ...(tokenUrl !== undefined && { tokenUrl }),
    ...(registrationUrl !== undefined && { registrationUrl }),
  };
}

function joined(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = scopes.flatMap((scope) => scope?.split(" ") ?? []).filter((one) => one !== "");
  return all.length === 0 ? undefined : [...new Set(all)].join(" ");
}
