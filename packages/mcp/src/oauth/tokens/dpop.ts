/**
 * Tokens that are good only together with a key (DPoP, RFC 9449): whoever copies
 * one can't use it. Every request shows that its sender has the key, by a proof of its own.
 */
import { createHash, createPrivateKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import type { CryptoKeyPair, DPoPHandle } from "oauth4webapi";
import type * as OAuth from "oauth4webapi";
import type { WireHeaders } from "../../wire/transport.ts";

/** A private key as it is kept with the tokens: ES256, which every server knows. */
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

/** For requests to an authorization server. It remembers the nonces that it is given. */
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
  /** Without query and fragment. */
  readonly url: string;
  readonly accessToken: string;
  /** What the server last wanted to see in a proof. */
  readonly nonce?: string | undefined;
  readonly now: number;
}

/** For a request to the server itself. Never to be sent twice. */
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
