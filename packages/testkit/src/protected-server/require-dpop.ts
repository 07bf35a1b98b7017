/** Accepts a token only with a valid DPoP proof of its key (RFC 9449), and each proof only once. */
import { createHash, createPublicKey, type JsonWebKey, randomUUID, verify } from "node:crypto";
import type { AuthInfo } from "@modelcontextprotocol/server";

type Authorize = (request: Request) => Promise<AuthInfo | Response>;

export interface DpopOptions {
  /** Performs the usual token checks. */
  readonly authorize: Authorize;
  readonly url: string;
  /** Returns undefined if no nonce is required. */
  readonly nonce: () => string | undefined;
}

export function requireDpop({ authorize, url, nonce }: DpopOptions): Authorize {
  const usedIds = new Set<unknown>();
  return async (request) => {
    const [scheme = "", token = ""] = request.headers.get("authorization")?.split(" ") ?? [];
    // Turns the challenge for a Bearer token into one for a DPoP token.
    const refuse = async (error?: string) => {
      const { headers, status } = (await authorize(new Request(url))) as Response;
      const bearerChallenge = headers
        .get("www-authenticate")
        ?.replace(/^Bearer( error=[^,]*,)?( error_description="[^"]*",)?/, "");
      const challenge = `DPoP ${error === undefined ? "" : `error="${error}", `}${bearerChallenge?.trim()}`;
      const nonceHeader = error === "use_dpop_nonce" ? { "dpop-nonce": nonce() ?? "" } : {};
      return new Response("{}", { status, headers: { "www-authenticate": challenge, ...nonceHeader } });
    };
    if (scheme !== "DPoP") return refuse(token === "" ? undefined : "invalid_token");
    const proof = verifyProof(request.headers.get("dpop") ?? "");
    const { claims, thumbprint } = proof ?? {};
    const expected = {
      htm: request.method,
      htu: url,
      ath: createHash("sha256").update(token).digest("base64url"),
    };
    const claimsMatch = Object.entries(expected).every(([name, value]) => claims?.[name] === value);
    const isRecent = Math.abs(Number(claims?.["iat"]) - Date.now() / 1000) < 60;
    if (!claims || !claimsMatch || !isRecent || usedIds.has(claims["jti"])) return refuse("invalid_dpop_proof");
    usedIds.add(claims["jti"]);
    const headers = new Headers(request.headers);
    headers.set("authorization", `Bearer ${token}`);
    const authInfo = await authorize(new Request(url, { headers }));
    if (authInfo instanceof Response) return authInfo.status === 401 ? refuse("invalid_token") : authInfo;
    if (authInfo.extra?.["jkt"] !== thumbprint) return refuse("invalid_token");
    return claims["nonce"] === nonce() ? authInfo : refuse("use_dpop_nonce");
  };
}

export function newNonce(): string {
  return randomUUID();
}

interface Proof {
  readonly claims: { readonly [name: string]: unknown };
  /** The thumbprint of the key. A token that is bound to the key contains it. */
  readonly thumbprint: string;
}

/** Returns undefined if the proof is missing or its signature is invalid. */
function verifyProof(jwt: string): Proof | undefined {
  const [header = "", payload = "", signature = ""] = jwt.split(".");
  try {
    const { typ, alg, jwk } = decodePart(header) as { typ: string; alg: string; jwk: JsonWebKey };
    const key = createPublicKey({ key: jwk, format: "jwk" });
    const [signedBytes, signatureBytes] = [Buffer.from(`${header}.${payload}`), Buffer.from(signature, "base64url")];
    const isValid = verify("sha256", signedBytes, { key, dsaEncoding: "ieee-p1363" }, signatureBytes);
    if (!isValid || typ !== "dpop+jwt" || alg !== "ES256" || "d" in jwk) return undefined;
    const { crv, kty, x, y } = jwk;
    const thumbprint = createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
    return { claims: decodePart(payload) as Proof["claims"], thumbprint };
  } catch {
    return undefined;
  }
}

function decodePart(part: string): unknown {
  return JSON.parse(Buffer.from(part, "base64url").toString());
}
