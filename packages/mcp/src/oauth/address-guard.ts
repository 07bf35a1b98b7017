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
import { quote } from "../wire/quote.ts";
import { addressKind, hostKind } from "./address-kind.ts";
import type { AddressKind } from "./address-kind.ts";
import { hasCredentials, isAllowedEndpoint } from "./allowed-urls.ts";

export interface AddressGuardOptions {
  /** How errors call the MCP server. */
  readonly server: string;
  /** The MCP server's own. Its origin is contacted wherever that is, as it is for everything else. */
  readonly url: string;
  /** What the user has configured, and knows where it is. */
  readonly configured?: readonly string[];
  readonly resolve?: Resolve;
}

export type Resolve = (hostname: string) => Promise<readonly Address[]>;

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Nobody is asked what these names stand for. */
const THIS_MACHINE: readonly Address[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

export class AddressGuard {
  readonly #server: string;
  readonly #own: URL;
  readonly #configured: ReadonlySet<string>;
  readonly #resolve: Resolve;

  constructor(options: AddressGuardOptions) {
    const { server, url, configured = [], resolve = (hostname) => lookup(hostname, { all: true }) } = options;
    this.#server = server;
    this.#own = new URL(url);
    this.#configured = new Set(configured.flatMap((named) => parseUrl(named)?.origin ?? []));
    this.#resolve = resolve;
  }

  /** By what can be seen in it; for one that is reached by way of a proxy, which alone knows what names stand for, that is all. */
  async check(url: URL): Promise<void> {
    if (hasCredentials(url)) throw this.#unsafe(url, "there are credentials in that URL");
    if (!isAllowedEndpoint(url, this.#own)) throw this.#unsafe(url, "that is neither https nor on this machine");
    const kind = hostKind(url.hostname);
    if (kind !== undefined) await this.#judge(url, kind);
  }

  /** Where to connect to; all of it has been judged. */
  async addresses(url: URL): Promise<readonly Address[]> {
    await this.check(url);
    const found = await this.#lookUp(url.hostname);
    // One that may not be is enough to refuse them all: whoever mixes them is up to something.
    for (const { address } of found) await this.#judge(url, addressKind(address));
    return found;
  }

  async #judge(url: URL, kind: AddressKind): Promise<void> {
    if (kind === "public" || url.origin === this.#own.origin || this.#configured.has(url.origin)) return;
    if (await this.#isServerAt(kind)) return;
    throw this.#unsafe(url, `its address is ${WORDS[kind]}, and the server itself is not there`);
  }

  /** That it is on this machine is not believed of a name, which may stand for anything a moment later. */
  async #isServerAt(kind: Inner): Promise<boolean> {
    const seen = hostKind(this.#own.hostname);
    if (kind === "special") return false;
    if (seen !== undefined || kind === "loopback") return seen === kind;
    const found = await this.#lookUp(this.#own.hostname).catch(() => []);
    return found.length > 0 && found.every(({ address }) => addressKind(address) === kind);
  }

  async #lookUp(hostname: string): Promise<readonly Address[]> {
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    return hostKind(host) === undefined ? this.#resolve(host) : THIS_MACHINE;
  }

  #unsafe(url: URL, why: string): HostError {
    return new HostError("LOGIN_UNSAFE", { server: this.#server, what: `it wants ${place(url)} contacted; ${why}` });
  }
}

type Inner = Exclude<AddressKind, "public">;

const WORDS: { readonly [kind in Inner]: string } = {
  private: "in a private network",
  loopback: "on this machine",
  "link-local": "for this machine and its neighbours only",
  special: "one at which nobody can be",
};

/** All that is said of a URL: the rest of it may hold secrets. */
export function place({ protocol, host, pathname }: URL): string {
  return quote(`${protocol}//${host}${pathname}`);
}
