/**
 * Decides which hosts a login or a registry may lead to. A server names these hosts, and it could name a private address
 * to make us send requests into the user's network (SSRF). Such addresses are rejected unless the server itself has one.
 * The guard checks the resolved addresses, and the connection uses exactly these.
 */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { parseUrl } from "@plugboard/contracts";
import type { HostError } from "@plugboard/contracts";
import { describeValue } from "../../lib/describe-value.ts";
import { addressKind, hostnameKind } from "./address-kind.ts";
import type { AddressKind } from "./address-kind.ts";
import { loginErrors } from "./request-errors.ts";
import type { RequestErrors } from "./request-errors.ts";
import { hasUrlCredentials, isSafeEndpoint } from "./safe-urls.ts";

export interface AddressGuardOptions {
  /** The server's id in error messages. */
  readonly server: string;
  /** Creates the errors to throw. Defaults to those of a login. */
  readonly errors?: RequestErrors;
  /** The URL of the server. Its own origin is always allowed. */
  readonly url: string;
  /** URLs from the user's config. Their origins are always allowed. */
  readonly configured?: readonly string[];
  readonly resolve?: ResolveHostname;
}

export type ResolveHostname = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** The addresses of `localhost` names, without a DNS lookup. */
const LOOPBACK_ADDRESSES: readonly ResolvedAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

export class AddressGuard {
  readonly #errors: RequestErrors;
  readonly #serverUrl: URL;
  readonly #configuredOrigins: ReadonlySet<string>;
  readonly #resolve: ResolveHostname;

  constructor(options: AddressGuardOptions) {
    const { server, url, configured = [], resolve = (hostname) => lookup(hostname, { all: true }) } = options;
    this.#errors = options.errors ?? loginErrors(server);
    this.#serverUrl = new URL(url);
    this.#configuredOrigins = new Set(configured.flatMap((configuredUrl) => parseUrl(configuredUrl)?.origin ?? []));
    this.#resolve = resolve;
  }

  /** Checks only the URL text. Enough for a request through a proxy, because the proxy resolves the name. */
  async checkUrl(url: URL): Promise<void> {
    if (hasUrlCredentials(url)) throw this.#unsafeError(url, "the URL contains credentials");
    if (!isSafeEndpoint(url, this.#serverUrl)) throw this.#unsafeError(url, "it is neither https nor on this machine");
    // Undefined for a name that needs a DNS lookup. `resolveAllowed` checks the addresses of such a name.
    const kind = hostnameKind(url.hostname);
    if (kind !== undefined) await this.#assertAllowed(url, kind);
  }

  /** Resolves the host and returns its addresses. Throws if one of them is not allowed. */
  async resolveAllowed(url: URL): Promise<readonly ResolvedAddress[]> {
    await this.checkUrl(url);
    const addresses = await this.#lookup(url.hostname);
    // One forbidden address rejects the host. A mix of public and private addresses is suspicious.
    for (const { address } of addresses) await this.#assertAllowed(url, addressKind(address));
    return addresses;
  }

  async #assertAllowed(url: URL, kind: AddressKind): Promise<void> {
    if (kind === "public" || url.origin === this.#serverUrl.origin || this.#configuredOrigins.has(url.origin)) return;
    if (await this.#serverHasAddressOf(kind)) return;
    throw this.#unsafeError(url, `its address is ${KIND_DESCRIPTIONS[kind]}, and the server's is not`);
  }

  /** Returns whether the MCP server has only addresses of this kind. */
  async #serverHasAddressOf(kind: NonPublicKind): Promise<boolean> {
    if (kind === "special") return false;
    const serverKind = hostnameKind(this.#serverUrl.hostname);
    if (serverKind !== undefined) return serverKind === kind;
    // A name that needs a lookup never counts as a loopback address, because it may resolve to another address later.
    if (kind === "loopback") return false;
    const addresses = await this.#lookup(this.#serverUrl.hostname).catch(() => []);
    return addresses.length > 0 && addresses.every(({ address }) => addressKind(address) === kind);
  }

  async #lookup(hostname: string): Promise<readonly ResolvedAddress[]> {
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    return hostnameKind(host) === undefined ? this.#resolve(host) : LOOPBACK_ADDRESSES;
  }

  #unsafeError(url: URL, problem: string): HostError {
    return this.#errors.unsafe(`it names ${describeUrl(url)}, but ${problem}`);
  }
}

type NonPublicKind = Exclude<AddressKind, "public">;

const KIND_DESCRIPTIONS: { readonly [kind in NonPublicKind]: string } = {
  private: "in a private network",
  loopback: "on this machine",
  "link-local": "link-local",
  special: "reserved",
};

/** Formats a URL for an error message. Omits the query, which may contain secrets. */
export function describeUrl({ protocol, host, pathname }: URL): string {
  return describeValue(`${protocol}//${host}${pathname}`);
}
