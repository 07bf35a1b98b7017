/** An issuer of access tokens on loopback. It signs any claims, also invalid ones, and can replace its key. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { CryptoKey } from "jose";
import { onTestFinished } from "vitest";

export interface TokenIssuer {
  readonly url: string;
  /** The paths that were requested. */
  readonly requests: readonly string[];
  /** The answers by path, which a test may change. By default, /jwks has the current key. `{ redirect }` redirects. */
  readonly answers: { [path: string]: unknown };
  /** Signs a token that is valid for ten minutes, unless the claims say otherwise. */
  sign(claims: { readonly [name: string]: unknown }, options?: SignOptions): Promise<string>;
  /** Replaces the key. The old key is no longer published. */
  rotateKey(): Promise<void>;
  stop(): void;
}

interface SignOptions {
  readonly key?: CryptoKey;
  readonly header?: { readonly [name: string]: unknown };
}

/** Starts an issuer that stops with the test. */
export async function startTokenIssuer(): Promise<TokenIssuer> {
  const issuer = await openTokenIssuer();
  onTestFinished(issuer.stop);
  return issuer;
}

/** Starts an issuer that runs until `stop` is called. */
export async function openTokenIssuer(): Promise<TokenIssuer> {
  const requests: string[] = [];
  let count = 0;
  let current = await makeKey(`key-${++count}`);
  const server = createServer((request, response) => {
    requests.push(request.url!);
    const answer = answers[request.url!] ?? (request.url === "/jwks" ? { keys: [current.jwk] } : undefined);
    if (typeof answer === "object" && answer && "redirect" in answer) {
      return void response.writeHead(302, { location: String(answer.redirect) }).end();
    }
    response.writeHead(answer ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(answer ?? {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answers: TokenIssuer["answers"] = {
    "/.well-known/oauth-authorization-server": { issuer: url, jwks_uri: `${url}/jwks` },
  };
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return {
    url,
    requests,
    answers,
    async sign(claims, { key = current.privateKey, header = {} } = {}) {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ iss: url, iat: now, exp: now + 600, ...claims })
        .setProtectedHeader({ alg: "ES256", kid: current.kid, ...header })
        .sign(key);
    },
    async rotateKey() {
      current = await makeKey(`key-${++count}`);
    },
    stop,
  };
}

async function makeKey(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } };
}
