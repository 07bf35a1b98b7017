/** The ways in to the servers of a host: equal definitions share one, and what is kept on disk is everybody's. */
import type { HostEventData, LoginBackend, LogoutReport, LoginList } from "@plugboard/contracts";
import { HostError, toHostError } from "@plugboard/contracts";
import { proxyUrl } from "@plugboard/mcp";
import type { Clock, Target } from "@plugboard/mcp";
import { canonicalDigest } from "../lib/canonical-digest.ts";
import type { Auth } from "../config/definition/definition.ts";
import type { CredentialSource } from "./credentials/credential-source.ts";
import { StaticCredentials } from "./credentials/static-credentials.ts";
import { statusFromRecord } from "./oauth/convert-login-record.ts";
import type { LoginStore } from "./vault/login-store.ts";
import { OAuthLogin } from "./oauth/oauth-login.ts";
import { MachineLogin } from "./oauth/machine-login.ts";
import { TokenFile } from "./credentials/token-file.ts";
import type { FileWatcher } from "./credentials/watched-secret-file.ts";

export interface LoginManagerOptions {
  readonly store: LoginStore;
  readonly clock: Clock;
  readonly emit: (event: HostEventData) => void;
  readonly watch: FileWatcher;
}

export interface CredentialSourceOptions {
  /** How errors and questions call the server. */
  readonly server: string;
  readonly target: Target;
  readonly auth: Auth<string>;
  readonly account?: string | undefined;
}

interface LoginLocation {
  readonly key: string;
  readonly url: string;
}

export class LoginManager {
  readonly #options: LoginManagerOptions;
  readonly #sources = new Map<string, CredentialSource>();
  readonly #closing = new AbortController();

  constructor(options: LoginManagerOptions) {
    this.#options = options;
  }

  /** Nothing where there is nobody to log in at: a program gets what it needs by its environment. */
  credentialsFor(options: CredentialSourceOptions): CredentialSource | undefined {
    const { target } = options;
    if (!("url" in target)) return undefined;
    const { server, auth, account } = options;
    if (auth.type === "api_key") return new StaticCredentials(server, "the key of its definition");
    if (Object.keys(target.headers).some((name) => name.toLowerCase() === "authorization")) {
      return new StaticCredentials(server, "the header Authorization of its definition");
    }
    const url = canonicalUrl(target);
    const key = canonicalDigest({ url, auth, account: account ?? null });
    const known = this.#sources.get(key);
    if (known) return known;
    const made = this.#createSource({ ...options, key, url });
    this.#sources.set(key, made);
    return made;
  }

  /** What is kept of those that are wanted here. */
  async load(): Promise<void> {
    await Promise.all(this.#logins().map((login) => login.load()));
  }

  /** What others have written down since. */
  async reload(): Promise<void> {
    await Promise.all(this.#logins().map((login) => login.reload()));
  }

  /** Nothing is looked for any more, and nothing is left to be written down. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#logins().map((login) => login.whenSaved()));
  }

  async list(): Promise<LoginList> {
    const { store } = this.#options;
    const backendReport = await store.backend();
    try {
      const kept = [...(await store.list())].map(([server, login]) => ({
        ...statusFromRecord(login),
        server,
        resource: login.resource,
      }));
      return { ...backendReport, logins: kept };
    } catch (error) {
      const { note: _, ...sealed } = backendReport;
      return { ...sealed, unreadable: toHostError(error).toJSON(), logins: [] };
    }
  }

  async setBackend(backend: Exclude<LoginBackend, "memory">): Promise<LoginList> {
    if (backend !== "keyring" && backend !== "file") {
      throw new HostError("USAGE", { message: "logins are kept in the keyring or in a file" });
    }
    const leftBehind = await this.#options.store.setBackend(backend);
    await this.reload();
    return { ...(await this.list()), ...(leftBehind !== undefined && { leftBehind }) };
  }

  /** Of a server that is configured no longer, by the label it is kept under. Nothing if there is none. */
  async logOutByLabel(label: string): Promise<LogoutReport | undefined> {
    const kept = (await this.#options.store.list()).get(label);
    if (!kept) return undefined;
    const { url, account } = kept;
    const login = this.#createSource({ server: label, auth: { type: "none" }, account, key: "", url });
    return login instanceof OAuthLogin ? login.logOut() : undefined;
  }

  #logins(): OAuthLogin[] {
    return [...this.#sources.values()].filter((access) => access instanceof OAuthLogin);
  }

  #createSource({
    server,
    auth,
    account,
    key,
    url,
  }: Omit<CredentialSourceOptions, "target"> & LoginLocation): CredentialSource {
    const { store, clock, emit, watch } = this.#options;
    const closeSignal = this.#closing.signal;
    switch (auth.type) {
      case "token_file":
        return new TokenFile(server, auth.tokenPath, watch);
      case "client_credentials":
      case "enterprise":
        return new MachineLogin({ key, server, url, auth, account, clock, watch, closeSignal });
      case "api_key":
        return new StaticCredentials(server, "the key of its definition");
      default: {
        const recordKey = { resource: url, ...(account !== undefined && { account }) };
        return new OAuthLogin({ key, server, recordKey, auth, store, clock, emit, closeSignal });
      }
    }
  }
}

/** Without what no server gets to see, or what is no part of where it is. */
function canonicalUrl(target: Extract<Target, { readonly url: string }>): string {
  const url = new URL("id" in target ? proxyUrl(target.url, target.id) : target.url);
  url.hash = url.username = url.password = "";
  // Where to log in for a socket is said by the same host over HTTP.
  return url.href.replace(/^ws/, "http");
}
