/** A program's own login, by what its definition has for that. Nobody is asked, and nothing is kept on disk. */
import { HostError } from "@plugboard/contracts";
import type { LoginStatus } from "@plugboard/contracts";
import type { AuthRefusal, Clock, CredentialRequest } from "@plugboard/mcp";
import type { Tokens } from "@plugboard/mcp/oauth";
import type { Access } from "./access.ts";
import { fileOf, grantTokens } from "./machine-grant.ts";
import type { MachineAuth } from "./machine-grant.ts";
import { rejectionOf } from "./rejection.ts";
import { ShownTokens } from "./shown-tokens.ts";
import { WatchedToken } from "./watched-token.ts";
import type { Watch } from "./watched-token.ts";
import { WhereToLogIn } from "./where-to-log-in.ts";
import type { OAuth } from "./where-to-log-in.ts";

type Headers = { readonly [name: string]: string };

export interface MachineLoginOptions {
  readonly key: string;
  readonly server: string;
  readonly url: string;
  readonly auth: MachineAuth;
  readonly account?: string | undefined;
  readonly clock: Clock;
  readonly watch: Watch;
  /** Fires when the host is closed. */
  readonly ended: AbortSignal;
}

/** How often a server may want more. */
const MAX_STEPS_UP = 3;

export class MachineLogin implements Access {
  readonly key: string;
  readonly #options: MachineLoginOptions;
  readonly #where: WhereToLogIn;
  readonly #file: WatchedToken | undefined;
  readonly #shown: ShownTokens;
  #oauth: OAuth | undefined;
  #tokens: Tokens | undefined;
  /** What was last in the file. */
  #text: string | undefined;
  #issuer: string | undefined;
  #obtainedAt = 0;
  #scope: string | undefined;
  #stepsUp = 0;
  #getting: Promise<void> | undefined;

  constructor(options: MachineLoginOptions) {
    const { server, url, auth, clock, watch, ended } = options;
    const file = fileOf(auth);
    this.key = options.key;
    this.#options = options;
    this.#scope = auth.scope;
    this.#shown = new ShownTokens(clock);
    this.#file = file === undefined ? undefined : new WatchedToken(file, watch);
    const configured = auth.tokenUrl === undefined ? undefined : { tokenUrl: auth.tokenUrl };
    const idpTokenUrl = auth.type === "enterprise" ? auth.idpTokenUrl : undefined;
    this.#where = new WhereToLogIn({ server, url, clock, ended, ...(configured && { configured }), idpTokenUrl });
  }

  /** Until the server wants a login, it is not asked for one. */
  headers(request: CredentialRequest): Headers | Promise<Headers> {
    return this.#isDue ? this.#get().then(() => this.#shown.headers(request)) : this.#shown.headers(request);
  }

  async refused(refusal: AuthRefusal, sent: Headers): Promise<boolean> {
    if (this.#tokens && !this.#shown.areIn(sent)) return true;
    if (this.#shown.learnNonce(refusal, sent)) return true;
    const heard = await this.#where.heard(refusal.challenge);
    if (refusal.status === 403) await this.#stepUp(heard.scope);
    await this.#get();
    return true;
  }

  secrets(): readonly string[] {
    const { auth } = this.#options;
    const { accessToken, dpopKey } = this.#tokens ?? {};
    const idp = auth.type === "enterprise" ? auth.idpClientSecret : undefined;
    return [accessToken, dpopKey?.d, auth.clientSecret, idp, this.#text].filter((secret) => secret !== undefined);
  }

  status(): LoginStatus | undefined {
    const { auth, account } = this.#options;
    const { scope, expiresAt, who } = this.#tokens ?? {};
    if (!this.#tokens || this.#issuer === undefined) return undefined;
    return {
      ...(account !== undefined && { account }),
      who: (auth.type === "enterprise" ? who : undefined) ?? auth.clientId,
      issuer: this.#issuer,
      ...(scope !== undefined && { scope }),
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
      renewable: true,
    };
  }

  onChanged(listener: () => void): () => void {
    return this.#file?.onChanged(listener) ?? (() => {});
  }

  get #isDue(): boolean {
    const { clock } = this.#options;
    return this.#tokens !== undefined && this.#oauth!.shouldRenew(this.#tokens, clock.now(), this.#obtainedAt);
  }

  /** However many want it, it is asked for once. */
  #get(): Promise<void> {
    this.#getting ??= this.#ask()
      .catch((error: unknown) => {
        const code = rejectionOf(error);
        if (code === undefined) throw error;
        // Asking again would be refused again, until somebody corrects the definition or what it names.
        throw this.#wanted(`the authorization server refuses this client (${code})`, error);
      })
      .finally(() => void (this.#getting = undefined));
    return this.#getting;
  }

  async #ask(): Promise<void> {
    const { auth, clock, server } = this.#options;
    const oauth = (this.#oauth = await this.#where.oauth());
    const bound = this.#tokens?.dpopKey !== undefined;
    // What was bound to a key once is not had without one.
    const provider = { ...(await this.#where.find()), ...(bound && { dpop: true }) };
    const { challenge } = this.#where;
    const scope = oauth.selectScope({
      ...(this.#scope !== undefined && { configured: this.#scope }),
      ...(challenge && { challenge }),
      provider,
    });
    const text = await this.#read();
    // A secret that was once given to one is not for another that takes its place.
    const issuer = this.#issuer;
    const ctx = await this.#where.context();
    const tokens = await grantTokens(auth, { oauth, provider, text, scope, issuer, ctx });
    if (bound && !tokens.dpopKey) {
      throw new HostError("LOGIN_FAILED", { server, what: "its tokens are no longer bound to a key" });
    }
    this.#tokens = tokens;
    this.#issuer = provider.issuer;
    this.#obtainedAt = clock.now();
    this.#shown.use(tokens, oauth);
  }

  /** What is in the file of the definition now, if it names one. */
  async #read(): Promise<string> {
    if (!this.#file) return "";
    const { file } = this.#file;
    const text = await this.#file.read();
    if (typeof text !== "string") throw this.#wanted(`${file} can't be had: ${text.why}`);
    if (text === "") throw this.#wanted(`the file ${file} is empty`);
    return (this.#text = text);
  }

  async #stepUp(wanted: string | undefined): Promise<void> {
    const { stepUp } = await this.#where.oauth();
    const more = stepUp(this.#scope ?? this.#tokens?.scope, wanted);
    if (more === undefined || this.#stepsUp >= MAX_STEPS_UP) {
      throw this.#wanted("it wants more than this client is granted");
    }
    this.#stepsUp += 1;
    this.#scope = more;
  }

  #wanted(why: string, cause?: unknown): HostError {
    this.#file?.await();
    return new HostError("AUTH_REQUIRED", { server: this.#options.server, why, configured: true }, { cause });
  }
}
