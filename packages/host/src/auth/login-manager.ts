/**
 * Creates the credential sources of a host and manages stored logins. Servers with equal definitions share a source.
 */
import type { HostEventData, LoginBackend, LogoutReport, LoginList, Clock } from "@plugboard/contracts";
import { HostError, toHostError } from "@plugboard/contracts";
import { proxyUrl } from "@plugboard/mcp";
import type { Target } from "@plugboard/mcp";
import { canonicalDigest } from "@plugboard/store";
import type { Auth } from "@plugboard/config";
import type { CredentialSource } from "./credentials/credential-source.ts";
import { StaticCredentials } from "./credentials/static-credentials.ts";
import { statusFromRecord } from "./oauth/convert-login-record.ts";
import type { LoginPrincipal, LoginRecord } from "./vault/login-record.ts";
import type { LoginStore } from "./vault/login-store.ts";
import { OAuthLogin } from "./oauth/oauth-login.ts";
import type { UserAuth } from "./oauth/user-auth.ts";
import { MachineLogin } from "./oauth/machine-login.ts";
import { TokenFile } from "./credentials/token-file.ts";
import type { FileWatcher } from "./credentials/watched-secret-file.ts";

export interface LoginManagerOptions {
  /** Opens the store. Called on first use, because a host with only local servers needs no logins. */
  readonly store: () => LoginStore;
  readonly clock: Clock;
  readonly emit: (event: HostEventData) => void;
  readonly watch: FileWatcher;
}

export interface CredentialSourceOptions {
  /** The name of the server in errors and questions. */
  readonly server: string;
  readonly target: Target;
  readonly auth: Auth<string>;
  readonly account?: string | undefined;
  /** The principal with whose login requests are sent. By default it is the owner. */
  readonly principal?: LoginPrincipal | undefined;
}

interface NewSourceOptions {
  readonly key: string;
  readonly server: string;
  readonly url: string;
  readonly auth: Exclude<Auth<string>, { type: "api_key" }>;
  readonly account: string | undefined;
  readonly principal?: LoginPrincipal | undefined;
}

export class LoginManager {
  readonly #options: LoginManagerOptions;
  readonly #sources = new Map<string, CredentialSource>();
  readonly #closing = new AbortController();

  constructor(options: LoginManagerOptions) {
    this.#options = options;
  }

  /** Returns undefined for a local server, which gets its credentials in its environment. */
  credentialsFor(options: CredentialSourceOptions): CredentialSource | undefined {
    const { target } = options;
    if (!("url" in target)) return undefined;
    const { server, auth, account, principal } = options;
    if (auth.type === "api_key") return new StaticCredentials(server, "the key of its definition");
    if (Object.keys(target.headers).some((name) => name.toLowerCase() === "authorization")) {
      return new StaticCredentials(server, "the `Authorization` header of its definition");
    }
    const url = canonicalUrl(target);
    const key = canonicalDigest({ url, auth, account: account ?? null, ...(principal && { principal: principal.id }) });
    const existing = this.#sources.get(key);
    if (existing) return existing;
    const source = this.#createSource({ server, auth, account, principal, key, url });
    this.#sources.set(key, source);
    return source;
  }

  /** Reads the stored logins of all sources. */
  async load(): Promise<void> {
    await Promise.all(this.#logins().map((login) => login.load()));
  }

  /** Reads the stored logins again, because another process may have changed them. */
  async reload(): Promise<void> {
    await Promise.all(this.#logins().map((login) => login.reload()));
  }

  /** Aborts requests for the metadata of authorization servers. Resolves when all new tokens are stored. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#logins().map((login) => login.whenSaved()));
  }

  /** Returns the stored logins, or the reason why they can't be read. */
  async list(): Promise<LoginList> {
    const store = this.#options.store();
    const backendReport = await store.backend();
    try {
      const logins = [...(await store.list())].map(([server, login]) => ({
        ...statusFromRecord(login),
        server,
        resource: login.resource,
        ...(login.principal !== undefined && { principal: login.principal_name ?? login.principal }),
      }));
      return { ...backendReport, logins };
    } catch (error) {
      // `unreadable` replaces the note, which would say the same.
      const { note: _, ...report } = backendReport;
      return { ...report, unreadable: toHostError(error).toJSON(), logins: [] };
    }
  }

  async setBackend(backend: Exclude<LoginBackend, "memory">): Promise<LoginList> {
    // A caller without TypeScript may pass any value.
    if (backend !== "keyring" && backend !== "file") {
      throw new HostError("USAGE", { message: "the backend for logins is `keyring` or `file`" });
    }
    const leftBehind = await this.#options.store().setBackend(backend);
    await this.reload();
    return { ...(await this.list()), ...(leftBehind !== undefined && { leftBehind }) };
  }

  /** Logs out of a server that is no longer configured. Returns undefined if no stored login has the label. */
  async logOutByLabel(label: string): Promise<LogoutReport | undefined> {
    const record = (await this.#options.store().list()).get(label);
    if (!record) return undefined;
    return this.#loginOfRecord(label, record).logOut();
  }

  /** Logs out principals that no longer exist because their tokens were revoked. Cancels their logins in progress. */
  async logOutPrincipals(isGone: (principal: string) => boolean): Promise<void> {
    const isOfGone = ({ principal }: { readonly principal?: string | undefined }) =>
      principal !== undefined && isGone(principal);
    const open = this.#logins().filter(isOfGone);
    // A connection that uses such a login gets no more headers.
    await Promise.all(open.map((login) => login.cancelForClient().then(() => login.logOut())));
    for (const [label, record] of await this.#options.store().list()) {
      if (isOfGone(record)) await this.#loginOfRecord(label, record).logOut();
    }
  }

  /** Forgets the credential sources of a principal that has no workspace any more. Its stored logins stay. */
  releasePrincipal(principal: string): void {
    for (const [key, source] of this.#sources) {
      if (!(source instanceof OAuthLogin) || source.principal !== principal) continue;
      void source.cancelForClient();
      this.#sources.delete(key);
    }
  }

  #loginOfRecord(label: string, { url, account, principal: id, principal_name: name = id }: LoginRecord): OAuthLogin {
    const principal = id === undefined ? undefined : { id, name: name! };
    // The key stays empty, because no connection uses this login.
    return this.#createLogin({ server: label, auth: { type: "none" }, account, principal, key: "", url });
  }

  #logins(): OAuthLogin[] {
    return [...this.#sources.values()].filter((source) => source instanceof OAuthLogin);
  }

  #createSource(options: NewSourceOptions): CredentialSource {
    const { key, server, url, auth, account } = options;
    const { clock, watch } = this.#options;
    const closeSignal = this.#closing.signal;
    switch (auth.type) {
      case "token_file":
        return new TokenFile(server, auth.tokenPath, watch);
      case "client_credentials":
      case "enterprise":
        return new MachineLogin({ key, server, url, auth, account, clock, watch, closeSignal });
      default:
        return this.#createLogin({ ...options, auth });
    }
  }

  #createLogin(options: NewSourceOptions & { readonly auth: UserAuth }): OAuthLogin {
    const { key, server, url, auth, account, principal } = options;
    const { clock, emit } = this.#options;
    const store = this.#options.store();
    const recordKey = { resource: url, ...(account !== undefined && { account }), ...(principal && { principal }) };
    const closeSignal = this.#closing.signal;
    const emitFor = principal ? emitAs(principal, emit) : emit;
    return new OAuthLogin({ key, server, recordKey, auth, store, clock, emit: emitFor, closeSignal });
  }
}

/** Adds the name of the principal to its events. Drops `login.waiting`, which is only for the owner's command line. */
function emitAs({ name: principal }: LoginPrincipal, emit: (event: HostEventData) => void) {
  return (event: HostEventData) => {
    if (event.type === "login.changed") emit({ ...event, principal });
    else if (event.type !== "login.waiting") emit(event);
  };
}

/**
 * Returns the URL that identifies the server, without credentials and fragment. For the transport `claudeai-proxy` it
 * contains the id of the server behind the proxy.
 */
function canonicalUrl(target: Extract<Target, { readonly url: string }>): string {
  const url = new URL("id" in target ? proxyUrl(target.url, target.id) : target.url);
  url.hash = url.username = url.password = "";
  // A WebSocket server shares its login with an HTTP server at the same address.
  return url.href.replace(/^ws/, "http");
}
