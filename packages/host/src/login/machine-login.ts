/** A program's own login, with a secret or a key of its definition. Nobody is asked, and nothing is kept on disk. */
import { readFile } from "node:fs/promises";
import { HostError } from "@plugboard/contracts";
import type { LoginStatus } from "@plugboard/contracts";
import type { AuthRefusal, Clock, CredentialRequest } from "@plugboard/mcp";
import type { OAuthClient, Tokens } from "@plugboard/mcp/oauth";
import type { Auth } from "../config/definition.ts";
import { Listeners } from "./access.ts";
import type { Access } from "./access.ts";
import { rejectionOf } from "./rejection.ts";
import { ShownTokens } from "./shown-tokens.ts";
import { WhereToLogIn } from "./where-to-log-in.ts";
import type { OAuth } from "./where-to-log-in.ts";

type Headers = { readonly [name: string]: string };
type MachineAuth = Extract<Auth<string>, { type: "client_credentials" }>;

export interface MachineLoginOptions {
  readonly key: string;
  readonly server: string;
  readonly url: string;
  readonly auth: MachineAuth;
  readonly account?: string | undefined;
  readonly clock: Clock;
}

/** How often a server may want more. */
const MAX_STEPS_UP = 3;

export class MachineLogin implements Access {
  readonly key: string;
  readonly #options: MachineLoginOptions;
  readonly #where: WhereToLogIn;
  readonly #listeners = new Listeners();
  readonly #shown: ShownTokens;
  #oauth: OAuth | undefined;
  #tokens: Tokens | undefined;
  #issuer = "";
  #obtainedAt = 0;
  #scope: string | undefined;
  #stepsUp = 0;
  #getting: Promise<void> | undefined;

  constructor(options: MachineLoginOptions) {
    const { server, url, auth, clock } = options;
    this.key = options.key;
    this.#options = options;
    this.#scope = auth.scope;
    this.#shown = new ShownTokens(clock);
    const configured = auth.tokenUrl === undefined ? undefined : { tokenUrl: auth.tokenUrl };
    this.#where = new WhereToLogIn({ server, url, clock, ...(configured && { configured }) });
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
    try {
      await this.#get();
    } catch (error) {
      const code = rejectionOf(error);
      if (code === undefined) throw error;
      // Asking again would be refused again, until somebody corrects the definition.
      throw this.#wanted(`the authorization server refuses this client (${code})`, error);
    }
    return true;
  }

  secrets(): readonly string[] {
    const { clientSecret } = this.#options.auth;
    const { accessToken, dpopKey } = this.#tokens ?? {};
    return [accessToken, dpopKey?.d, clientSecret].filter((secret) => secret !== undefined);
  }

  status(): LoginStatus | undefined {
    const { auth, account } = this.#options;
    const { scope, expiresAt } = this.#tokens ?? {};
    if (!this.#tokens) return undefined;
    return {
      ...(account !== undefined && { account }),
      who: auth.clientId,
      issuer: this.#issuer,
      ...(scope !== undefined && { scope }),
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
      renewable: true,
    };
  }

  onChanged(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  get #isDue(): boolean {
    const { clock } = this.#options;
    return this.#tokens !== undefined && this.#oauth!.shouldRenew(this.#tokens, clock.now(), this.#obtainedAt);
  }

  /** However many want it, it is asked for once. */
  #get(): Promise<void> {
    this.#getting ??= this.#ask().finally(() => void (this.#getting = undefined));
    return this.#getting;
  }

  async #ask(): Promise<void> {
    const { auth, clock } = this.#options;
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
    const wanted = scope === undefined ? {} : { scope };
    // A secret that was once given to one is not for another that takes its place.
    const client = { ...(await this.#client(auth)), ...(this.#issuer !== "" && { issuer: this.#issuer }) };
    const tokens = await oauth.clientCredentials(provider, client, wanted, await this.#where.context());
    if (bound && !tokens.dpopKey) throw this.#failed("its tokens are no longer bound to a key");
    this.#tokens = tokens;
    this.#issuer = provider.issuer;
    this.#obtainedAt = clock.now();
    this.#shown.use(tokens, oauth);
  }

  async #client({ clientId, clientSecret, privateKeyFile }: MachineAuth): Promise<OAuthClient> {
    if (privateKeyFile === undefined) {
      const secret = clientSecret === undefined ? {} : { clientSecret };
      return { clientId, ...secret, authMethod: "client_secret_basic", origin: "configured" };
    }
    const privateKey = await readFile(privateKeyFile, "utf8").catch((error: NodeJS.ErrnoException) => {
      throw this.#failed(`its private key ${privateKeyFile} can't be read (${error.code ?? "unknown"})`);
    });
    return { clientId, privateKey, authMethod: "private_key_jwt", origin: "configured" };
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

  #failed(what: string): HostError {
    return new HostError("LOGIN_FAILED", { server: this.#options.server, what });
  }

  #wanted(why: string, cause?: unknown): HostError {
    return new HostError("AUTH_REQUIRED", { server: this.#options.server, why, configured: true }, { cause });
  }
}
