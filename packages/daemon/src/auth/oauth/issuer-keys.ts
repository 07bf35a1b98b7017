/**
 * The public keys of an external issuer. They are fetched with the first token and again when a token names an unknown
 * key, but never more often than the cooldown allows: anybody can send tokens with unknown keys.
 */
import { HostError, isJsonObject, parseUrl, steadyNow } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";
import type { JWTVerifyGetKey } from "jose";

export interface IssuerKeysOptions {
  readonly issuer: string;
  /** By default the URL in the issuer's metadata. */
  readonly jwksUri?: string | undefined;
  readonly clock: Clock;
  readonly cooldownMs: number;
}

const TIMEOUT_MS = 5000;
const MAX_METADATA_BYTES = 256 * 1024;

export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #keys: Promise<JWTVerifyGetKey> | undefined;
  /** When the keys may be located again after a failure, on the steady clock. Infinity after a success. */
  #retryAt = -Infinity;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /** Returns the function that finds the key of a token. Throws ISSUER_UNREACHABLE if the keys can't be located. */
  find(): Promise<JWTVerifyGetKey> {
    const { clock, cooldownMs } = this.#options;
    if (steadyNow(clock) < this.#retryAt) return this.#keys!;
    this.#retryAt = Infinity;
    const keys = this.#load();
    keys.catch(() => (this.#retryAt = steadyNow(clock) + cooldownMs));
    return (this.#keys = keys);
  }

  async #load(): Promise<JWTVerifyGetKey> {
    const { issuer, jwksUri, cooldownMs: cooldownDuration } = this.#options;
    const { createRemoteJWKSet } = await import("jose");
    const url = new URL(jwksUri ?? (await discoverJwksUri(issuer)));
    return createRemoteJWKSet(url, { cooldownDuration, timeoutDuration: TIMEOUT_MS });
  }
}

/** Reads the URL of the keys from the issuer's metadata (RFC 8414, OpenID Connect Discovery). */
async function discoverJwksUri(issuer: string): Promise<string> {
  for (const url of metadataUrls(issuer)) {
    const metadata = await fetchJson(url, issuer);
    if (metadata === undefined) continue;
    const { issuer: named, jwks_uri: jwksUri } = metadata;
    if (named !== issuer) throw unreachable(issuer, `${url} names another issuer`);
    if (typeof jwksUri !== "string" || !isSafeUrl(jwksUri, issuer)) {
      throw unreachable(issuer, `${url} has no valid "jwks_uri"`);
    }
    return jwksUri;
  }
  throw unreachable(issuer, "it has no metadata; set `jwks_uri`");
}

function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === "" ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
}

/** Returns undefined if there is nothing at this URL. */
async function fetchJson(url: string, issuer: string): Promise<{ readonly [key: string]: unknown } | undefined> {
  let text: string;
  try {
    const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return undefined;
    text = await readText(response);
  } catch (error) {
    throw unreachable(issuer, (error as Error).message, error);
  }
  try {
    const parsed = JSON.parse(text) as unknown;
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_METADATA_BYTES) throw new Error("its metadata is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Keys may be on another host than the issuer, but never on a less protected connection. */
function isSafeUrl(url: string, issuer: string): boolean {
  const protocol = parseUrl(url)?.protocol;
  return protocol === "https:" || protocol === new URL(issuer).protocol;
}

export function unreachable(issuer: string, reason: string, cause?: unknown): HostError {
  return new HostError("ISSUER_UNREACHABLE", { issuer, reason }, { cause });
}
