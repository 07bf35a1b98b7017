/** The ways in to the servers of a host: equal definitions share one, and what is kept on disk is everybody's. */
import type { HostFact, LoginBackend, LogoutReport, StoredLogins } from "@plugboard/contracts";
import { HostError, toHostError } from "@plugboard/contracts";
import { proxyUrl } from "@plugboard/mcp";
import type { Clock, Target } from "@plugboard/mcp";
import { canonicalDigest } from "../canonical-digest.ts";
import type { Auth } from "../config/definition.ts";
import type { Access } from "./access.ts";
import { FixedAccess } from "./fixed-access.ts";
import { statusOf } from "./kept-login.ts";
import type { LoginStore } from "./login-store.ts";
import { Login } from "./login.ts";
import { MachineLogin } from "./machine-login.ts";
import { TokenFile } from "./token-file.ts";
import type { Watch } from "./watched-token.ts";

export interface LoginsOptions {
  readonly store: LoginStore;
  readonly clock: Clock;
  readonly state: (fact: HostFact) => void;
  readonly watch: Watch;
}

export interface AccessWanted {
  /** How errors and questions call the server. */
  readonly server: string;
  readonly target: Target;
  readonly auth: Auth<string>;
  readonly account?: string | undefined;
}

interface Place {
  readonly key: string;
  readonly url: string;
}

export class Logins {
  readonly #options: LoginsOptions;
  readonly #all = new Map<string, Access>();
  readonly #ended = new AbortController();

  constructor(options: LoginsOptions) {
    this.#options = options;
  }

  /** Nothing where there is nobody to log in at: a program gets what it needs by its environment. */
  access(wanted: AccessWanted): Access | undefined {
    const { target } = wanted;
    if (!("url" in target)) return undefined;
    const { server, auth, account } = wanted;
    if (auth.type === "api_key") return new FixedAccess(server, "the key of its definition");
    if (Object.keys(target.headers).some((name) => name.toLowerCase() === "authorization")) {
      return new FixedAccess(server, "the header Authorization of its definition");
    }
    const url = canonicalUrl(target);
    const key = canonicalDigest({ url, auth, account: account ?? null });
    const known = this.#all.get(key);
    if (known) return known;
    const made = this.#make({ ...wanted, key, url });
    this.#all.set(key, made);
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
    this.#ended.abort();
    await Promise.all(this.#logins().map((login) => login.settled()));
  }

  async list(): Promise<StoredLogins> {
    const { store } = this.#options;
    const where = await store.backend();
    try {
      const kept = [...(await store.list())].map(([server, login]) => ({
        ...statusOf(login),
        server,
        resource: login.resource,
      }));
      return { ...where, logins: kept };
    } catch (error) {
      const { note: _, ...sealed } = where;
      return { ...sealed, unreadable: toHostError(error).toJSON(), logins: [] };
    }
  }

  async keepIn(backend: Exclude<LoginBackend, "memory">): Promise<StoredLogins> {
    if (backend !== "keyring" && backend !== "file") {
      throw new HostError("USAGE", { what: "logins are kept in the keyring or in a file" });
    }
    const leftBehind = await this.#options.store.keepIn(backend);
    await this.reload();
    return { ...(await this.list()), ...(leftBehind !== undefined && { left_behind: leftBehind }) };
  }

  /** Of a server that is configured no longer, by the label it is kept under. Nothing if there is none. */
  async logOutKept(label: string): Promise<LogoutReport | undefined> {
    const kept = (await this.#options.store.list()).get(label);
    if (!kept) return undefined;
    const { url, account } = kept;
    const login = this.#make({ server: label, auth: { type: "none" }, account, key: "", url });
    return login instanceof Login ? login.logOut() : undefined;
  }

  #logins(): Login[] {
    return [...this.#all.values()].filter((access) => access instanceof Login);
  }

  #make({ server, auth, account, key, url }: Omit<AccessWanted, "target"> & Place): Access {
    const { store, clock, state, watch } = this.#options;
    const ended = this.#ended.signal;
    switch (auth.type) {
      case "token_file":
        return new TokenFile(server, auth.tokenPath, watch);
      case "client_credentials":
      case "enterprise":
        return new MachineLogin({ key, server, url, auth, account, clock, watch, ended });
      case "api_key":
        return new FixedAccess(server, "the key of its definition");
      default: {
        const kept = { resource: url, ...(account !== undefined && { account }) };
        return new Login({ key, server, kept, auth, store, clock, state, ended });
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
