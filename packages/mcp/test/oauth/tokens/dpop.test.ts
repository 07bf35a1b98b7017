/** Tests DPoP-bound tokens. */
import { createHash, createPublicKey, verify } from "node:crypto";
import type { JsonWebKey } from "node:crypto";
import {
  beginAuthorization,
  clientCredentialsGrant,
  discoverProvider,
  parseChallenge,
  refreshTokens,
  tokenHeaders,
} from "@plugboard/mcp/oauth";
import type { OAuthClient, OAuthTokens } from "@plugboard/mcp/oauth";
import { describe, expect, it } from "vitest";
import { httpReply, startLoginSites, expectHostError } from "../../helpers/oauth-site.ts";
import type { SiteRequest } from "../../helpers/oauth-site.ts";

const client: OAuthClient = { clientId: "me", authMethod: "none", origin: "registered" };
const bound = { access_token: "bound-token", token_type: "DPoP", refresh_token: "bound-refresh-token" };
const challenge = parseChallenge('DPoP algs="ES256"');

async function login(answer: object | ((request: SiteRequest) => object) = bound) {
  const sites = await startLoginSites({
    metadata: { dpop_signing_alg_values_supported: ["ES256"] },
    routes: { "/token": answer },
  });
  const { url, ctx } = sites;
  const provider = await discoverProvider({ url, challenge }, ctx);
  return { ...sites, provider, tokens: () => clientCredentialsGrant(provider, client, {}, ctx) };
}

interface Proof {
  readonly header: { alg: string; typ: string; jwk: JsonWebKey };
  readonly claims: { [name: string]: unknown };
}

/** Returns the claims if the signature is valid. */
function proof(jwt: unknown): Proof {
  const [header = "", claims = "", signature = ""] = String(jwt).split(".");
  const read = { header: decoded(header) as Proof["header"], claims: decoded(claims) as Proof["claims"] };
  const key = createPublicKey({ key: read.header.jwk, format: "jwk" });
  const signed = Buffer.from(`${header}.${claims}`);
  const isValid = verify("sha256", signed, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(signature, "base64url"));
  if (!isValid) throw new Error("the signature is wrong");
  return read;
}

function decoded(part: string): unknown {
  return JSON.parse(Buffer.from(part, "base64url").toString());
}

describe("A DPoP-bound token", () => {
  it.each([
    ["the challenge has only the DPoP scheme", { challenge }, {}, ["ES256"], true],
    ["the resource metadata requires it", {}, { dpop_bound_access_tokens_required: true }, ["RS256", "ES256"], true],
    ["not if the challenge also has Bearer", { challenge: parseChallenge("DPoP, Bearer") }, {}, ["ES256"], undefined],
    ["not if the server does not ask for it", {}, {}, ["ES256"], undefined],
    ["not if the algorithm is not supported", { challenge }, {}, ["EdDSA"], undefined],
    ["not if the metadata lists no algorithm", { challenge }, {}, undefined, undefined],
  ])("is requested only if the server asks for it (%s)", async (_, requested, resource, algorithms, dpop) => {
    const metadata = { dpop_signing_alg_values_supported: algorithms };
    const { url, ctx } = await startLoginSites({ metadata, resource });
    expect((await discoverProvider({ url, ...requested }, ctx)).dpop).toBe(dpop);
  });

  it("is requested and used with a new proof in each request", async () => {
    const { tokens, as, url } = await login();
    const received = await tokens();
    expect(received).toMatchObject({ tokenType: "DPoP", accessToken: "bound-token" });
    const requested = proof(as.requests.at(-1)?.headers["dpop"]);
    expect(requested.header).toMatchObject({ alg: "ES256", typ: "dpop+jwt" });
    expect(requested.claims).toMatchObject({ htm: "POST", htu: `${as.origin}/token` });
    expect(requested.header.jwk).not.toHaveProperty("d");

    const show = (nonce?: string) => tokenHeaders(received, { method: "POST", url, nonce, now: 1_234_567 });
    const { authorization, dpop } = show();
    const { header, claims } = proof(dpop);
    expect(authorization).toBe("DPoP bound-token");
    expect(header).toEqual({ alg: "ES256", typ: "dpop+jwt", jwk: requested.header.jwk });
    expect(claims).toEqual({
      jti: expect.any(String),
      htm: "POST",
      htu: url,
      iat: 1234,
      ath: createHash("sha256").update("bound-token").digest("base64url"),
    });
    expect(proof(show().dpop).claims["jti"]).not.toBe(claims["jti"]);
    expect(proof(show("now-this").dpop).claims["nonce"]).toBe("now-this");
  });

  it("is issued for a browser login, and refreshed with the same stored key", async () => {
    const { provider, ctx, as } = await login();
    const redirectUri = "http://127.0.0.1:7777/callback";
    const { state, redeem } = await beginAuthorization(provider, client, { redirectUri }, ctx);
    const received = await redeem(new URL(`${redirectUri}?code=c&state=${state}`));
    const kept = JSON.parse(JSON.stringify(received)) as OAuthTokens;

    const renewed = await refreshTokens(provider, client, kept, ctx);

    expect(renewed.dpopKey).toEqual(received.dpopKey);
    const [first, second] = as.requests
      .filter(({ path }) => path === "/token")
      .map(({ headers }) => proof(headers["dpop"]));
    expect(second?.header.jwk).toEqual(first?.header.jwk);
    expect(second?.claims["jti"]).not.toBe(first?.claims["jti"]);
  });

  it("is requested a second time with the nonce of the server, but not a third time", async () => {
    const nonceRequest = httpReply(400, { error: "use_dpop_nonce" }, { "dpop-nonce": "the-nonce" });
    const { tokens, as } = await login(({ headers }) =>
      proof(headers["dpop"]).claims["nonce"] === "the-nonce" ? bound : nonceRequest,
    );
    expect(await tokens()).toMatchObject({ accessToken: "bound-token" });
    expect(as.seen.filter((request) => request === "POST /token")).toHaveLength(2);

    const never = await login(nonceRequest);
    expect(await expectHostError(never.tokens())).toMatchObject({ details: { error: "use_dpop_nonce" } });
    expect(never.as.seen.filter((request) => request === "POST /token")).toHaveLength(2);
  });

  it("is not replaced by an unbound token", async () => {
    let answer: object = bound;
    const { tokens, provider, ctx } = await login(() => answer);
    const received = await tokens();
    answer = { access_token: "plain", token_type: "Bearer" };
    expect(await expectHostError(refreshTokens(provider, client, received, ctx))).toMatchObject({
      code: "LOGIN_FAILED",
      details: { error: "invalid_grant" },
    });
  });

  it("is not assumed if the server has issued an unbound token", async () => {
    const { tokens, url } = await login({ access_token: "plain", token_type: "Bearer" });
    const received = await tokens();
    expect(received).not.toHaveProperty("dpopKey");
    expect(tokenHeaders(received, { method: "POST", url, now: 0 })).toEqual({ authorization: "Bearer plain" });
  });

  it("is rejected if no key was sent", async () => {
    const { url, ctx } = await startLoginSites({ routes: { "/token": bound } });
    const provider = await discoverProvider({ url }, ctx);
    expect(await expectHostError(clientCredentialsGrant(provider, client, {}, ctx))).toMatchObject({
      code: "LOGIN_FAILED",
    });
  });
});
