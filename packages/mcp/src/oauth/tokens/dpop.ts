/**
 * DPoP (RFC 9449): tokens that work only together with a private key, so that a copied token is useless. Each request
 * has a proof of its own.
 */
import { createHash, createPrivateKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import type { CryptoKeyPair, DPoPHandle } from "oauth4webapi";
import type * as OAuth from "oauth4webapi";
import type { WireHeaders } from "../../wire/transport.ts";

/** A private key as a JWK, stored with the tokens. Uses ES256, which all servers support. */
export interface DpopKey {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

export const DPOP_ALGORITHM = "ES256";

export function generateDpopKey(): DpopKey {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { kty = "", crv = "", x = "", y = "", d = "" } = privateKey.export({ format: "jwk" });
  return { kty, crv, x, y, d };
}

/** Returns the handle for requests to an authorization server. It remembers the server's nonces. */
export async function createDpopHandle(oauth: typeof OAuth, key: DpopKey): Promise<DPoPHandle> {
  const algorithm = { name: "ECDSA", namedCurve: key.crv };
  const keyPair: CryptoKeyPair = {
    privateKey: await crypto.subtle.importKey("jwk", key, algorithm, false, ["sign"]),
    publicKey: await crypto.subtle.importKey("jwk", publicJwk(key), algorithm, true, ["verify"]),
  };
  return oauth.DPoP({}, keyPair);
}

export interface DpopProofRequest {
  readonly method: string;
  /** The URL without query and fragment. */
  readonly url: string;
  readonly accessToken: string;
  /** The last nonce that the server sent. */
  readonly nonce?: string | undefined;
  readonly now: number;
}

/** Returns the headers for one request to the MCP server. Use them only once. */
export function dpopHeaders(key: DpopKey, { method, url, accessToken, nonce, now }: DpopProofRequest): WireHeaders {
  const header = { alg: DPOP_ALGORITHM, typ: "dpop+jwt", jwk: publicJwk(key) };
  const claims = {
    jti: randomUUID(),
    htm: method,
    htu: url,
    iat: Math.floor(now / 1000),
    ath: createHash("sha256").update(accessToken).digest("base64url"),
    ...(nonce !== undefined && { nonce }),
  };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const privateKey = createPrivateKey({ key: { ...key }, format: "jwk" });
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return { authorization: `DPoP ${accessToken}`, dpop: `${signed}.${signature.toString("base64url")}` };
}

function publicJwk({ kty, crv, x, y }: DpopKey): Omit<DpopKey, "d"> {
  return { kty, crv, x, y };
}
