/**
 * Whom a login may contact. Everything it contacts was named by somebody else:
 * a server that names an address of our own machine or network would have us
 * knock there for it. So such addresses are left alone, unless the MCP server
 * is there itself. What is judged is what a name stands for at this moment, and
 * the connection goes to the very addresses that were judged.
 */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { HostError, parseUrl } from "@plugboard/contracts";
import { describeValue } from "../../lib/describe-value.ts";
import { addressKind, hostnameKind } from "./address-kind.ts";
import type { AddressKind } from "./address-kind.ts";
import { hasUrlCredentials, isSafeEndpoint } from "./safe-urls.ts";

export interface AddressGuardOptions {
  /** How errors call the MCP server. */
  readonly server: string;
  /** The MCP server's own. Its origin is contacted wherever that is, as it is for everything else. */
  readonly url: string;
  /** What the user has configured, and knows where it is. */
  readonly configured?: readonly string[];
  readonly resolve?: ResolveHostname;
}

export type ResolveHostname = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Nobody is asked what these names stand for. */
const LOOPBACK_ADDRESSES: readonly ResolvedAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

export class AddressGuard {
  readonly #server: string;
  readonly #serverUrl: URL;
  readonly #configured: ReadonlySet<string>;
  readonly #resolve: ResolveHostname;

  constructor(options: AddressGuardOptions) {
    const { server, url, configured = [], resolve = (hostname) => lookup(hostname, { all: true }) } = options;
    this.#server = server;
    this.#serverUrl = new URL(url);
    this.#configured = new Set(configured.flatMap((named) => parseUrl(named)?.origin ?? []));
    this.#resolve = resolve;
  }

  /** By what can be seen in it; for one that is reached by way of a proxy, which alone knows what names stand for, that is all. */
  async checkUrl(url: URL): Promise<void> {
    if (hasUrlCredentials(url)) throw this.#unsafeError(url, "there are credentials in that URL");
    if (!isSafeEndpoint(url, this.#serverUrl))
      throw this.#unsafeError(url, "that is neither https nor on this machine");
    const kind = hostnameKind(url.hostname);
    if (kind !== undefined) await this.#assertAllowed(url, kind);
  }

  /** Where to connect to; all of it has been judged. */
  async resolveAllowed(url: URL): Promise<readonly ResolvedAddress[]> {
    await this.checkUrl(url);
    const found = await this.#lookup(url.hostname);
    // One that may not be is enough to refuse them all: whoever mixes them is up to something.
    for (const { address } of found) await this.#assertAllowed(url, addressKind(address));
    return found;
  }

  async #assertAllowed(url: URL, kind: AddressKind): Promise<void> {
    if (kind === "public" || url.origin === this.#serverUrl.origin || this.#configured.has(url.origin)) return;
    if (await this.#isServerAlsoAt(kind)) return;
    throw this.#unsafeError(url, `its address is ${KIND_DESCRIPTIONS[kind]}, and the server itself is not there`);
  }

  /** That it is on this machine is not believed of a name, which may stand for anything a moment later. */
  async #isServerAlsoAt(kind: NonPublicKind): Promise<boolean> {
    const serverKind = hostnameKind(this.#serverUrl.hostname);
    if (kind === "special") return false;
    if (serverKind !== undefined || kind === "loopback") return serverKind === kind;
    const found = await this.#lookup(this.#serverUrl.hostname).catch(() => []);
    return found.length > 0 && found.every(({ address }) => addressKind(address) === kind);
  }

  async #lookup(hostname: string): Promise<readonly ResolvedAddress[]> {
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    return hostnameKind(host) === undefined ? this.#resolve(host) : LOOPBACK_ADDRESSES;
  }

  #unsafeError(url: URL, why: string): HostError {
    return new HostError("LOGIN_UNSAFE", {
      server: this.#server,
      reason: `it wants ${describeUrl(url)} contacted; ${why}`,
    });
  }
}

type NonPublicKind = Exclude<AddressKind, "public">;

const KIND_DESCRIPTIONS: { readonly [kind in NonPublicKind]: string } = {
  private: "in a private network",
  loopback: "on this machine",
  "link-local": "for this machine and its neighbours only",
  special: "one at which nobody can be",
};

/** All that is said of a URL: the rest of it may hold secrets. */
export function describeUrl({ protocol, host, pathname }: URL): string {
  return describeValue(`${protocol}//${host}${pathname}`);
}
