/** Tests the refresh and the revocation of tokens. */
import { HostError } from "@plugboard/contracts";
import { discoverProvider, refreshTokens, revokeTokens } from "@plugboard/mcp/oauth";
import type { OAuthClient, OAuthTokens } from "@plugboard/mcp/oauth";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
import { httpReply, startLoginSites, expectHostError } from "../../helpers/oauth-site.ts";
import type { Routes, SiteRequest } from "../../helpers/oauth-site.ts";

const client: OAuthClient = { clientId: "me", authMethod: "none", origin: "registered" };
const tokens: OAuthTokens = {
  accessToken: "old-access-token",
  tokenType: "Bearer",
  refreshToken: "old-refresh-token",
  scope: "read",
  identity: "ada@example.com",
  expiresAt: 5,
};

async function login(routes: Routes = {}, metadata = {}) {
  const clock = new ManualClock();
  const sites = await startLoginSites({ routes, metadata, clock });
  const provider = await discoverProvider({ url: sites.url }, sites.ctx);
  return {
    ...sites,
    clock,
    provider,
    refresh: (oldTokens = tokens, as = client) => refreshTokens(provider, as, oldTokens, sites.ctx),
  };
}

describe("refreshTokens", () => {
  it("requests tokens for the same resource", { meta: { covers: ["S7"] } }, async () => {
    const { refresh, as, url } = await login();
    await refresh();
    expect(Object.fromEntries(as.form("/token"))).toEqual({
      grant_type: "refresh_token",
      refresh_token: "old-refresh-token",
      client_id: "me",
      resource: url,
    });
  });

  it("keeps the old refresh token, scope and identity if the response has no new ones", async () => {
    const { refresh, clock } = await login();
    clock.advance(1000);
    expect(await refresh()).toEqual({
      accessToken: "granted-access-token",
      tokenType: "Bearer",
      refreshToken: "old-refresh-token",
      scope: "read",
      identity: "ada@example.com",
      expiresAt: 3_601_000,
    });
  });

  it("uses the new refresh token, scope and identity of the response", async () => {
    const claims = Buffer.from(JSON.stringify({ email: "grace@example.com\u001b[2J" })).toString("base64url");
    const answer = {
      access_token: "new",
      token_type: "bearer",
      refresh_token: "new-refresh-token",
      scope: "read write",
      id_token: `e30.${claims}.no-signature`,
    };
    const { refresh } = await login({ "/token": answer });
    expect(await refresh()).toEqual({
      accessToken: "new",
      tokenType: "Bearer",
      refreshToken: "new-refresh-token",
      scope: "read write",
      identity: "grace@example.com<U+001B>[2J",
    });
  });

  it("reports a rejected refresh token with the error code, without quoting the token", async () => {
    const description = "The token old-refresh-token (…efresh-token) is gone.";
    for (const status of [400, 401, 200]) {
      const { refresh } = await login({
        "/token": httpReply(status, { error: "invalid_grant", error_description: description }),
      });
      const error = await expectHostError(refresh());
      expect(error).toMatchObject({ code: "LOGIN_FAILED", details: { error: "invalid_grant" } });
      expect(error.message).toContain("The token *** (…***) is gone");
    }
  });

  it("throws if there is no refresh token", async () => {
    const { refresh, as } = await login();
    const { refreshToken: _, ...others } = tokens;
    expect(await expectHostError(refresh(others))).toMatchObject({
      code: "LOGIN_FAILED",
      details: { error: "invalid_grant" },
    });
    expect(as.seen).not.toContain("POST /token");
  });

  it("sends no token to another authorization server", { meta: { covers: ["S9"] } }, async () => {
    const { refresh, as } = await login();
    const foreign = { ...client, issuer: "https://old.example" };
    expect(await expectHostError(refresh(tokens, foreign))).toMatchObject({ code: "LOGIN_UNSAFE" });
    expect(as.seen).not.toContain("POST /token");
  });

  it.each([500, 502, 503, 429])("does not treat HTTP status %i as a rejected refresh token", async (status) => {
    const { refresh } = await login({ "/token": httpReply(status, { error: "invalid_grant" }) });
    expect(await expectHostError(refresh())).toMatchObject({ code: "SERVER_UNREACHABLE" });
  });

  it.each([
    ["no token", httpReply(200, { token_type: "bearer" })],
    ["a body that is not JSON", httpReply(200, "<html>granted-access-token")],
    ["a token of an unknown type", httpReply(200, { access_token: "granted-access-token", token_type: "mac" })],
    ["a redirect", httpReply(302, "", { location: "https://evil.example" })],
    ["an error without a code", httpReply(400, "granted-access-token")],
  ])("throws LOGIN_FAILED for a response with %s, without quoting it", async (_, answer) => {
    const { refresh } = await login({ "/token": answer });
    const error = await expectHostError(refresh());
    expect(error).toMatchObject({ code: "LOGIN_FAILED" });
    expect(error.details).not.toHaveProperty("error");
    expect(error.cause).toBeUndefined();
    expect(error.message).not.toContain("granted");
  });

  it.each([
    ["contains line breaks", { access_token: "a\r\nx: y" }],
    ["contains characters that a header can't", { access_token: "\u20ac" }],
    ["is too long for a header", { access_token: "a".repeat(100_000) }],
    ["has a refresh token that is too long", { access_token: "a", refresh_token: "a".repeat(100_000) }],
  ])("rejects a token that %s", async (_, response) => {
    const { refresh } = await login({ "/token": httpReply(200, { token_type: "bearer", ...response }) });
    expect(await expectHostError(refresh())).toMatchObject({ code: "LOGIN_FAILED" });
  });

  it("ignores invalid scope names in the response", async () => {
    const scope = "read \u001b]0;evil\u0007 \u202e write";
    const { refresh } = await login({ "/token": httpReply(200, { access_token: "a", token_type: "bearer", scope }) });
    expect(await refresh()).toMatchObject({ scope: "read write" });
  });

  it("throws network errors unchanged", async () => {
    const { provider, ctx } = await login();
    const broken = new HostError("SERVER_UNREACHABLE", { server: "demo", reason: "ECONNREFUSED" });
    const offline = { ...ctx, fetch: () => Promise.reject(broken) };
    expect(await expectHostError(refreshTokens(provider, client, tokens, offline))).toBe(broken);
  });

  it("can be cancelled", async () => {
    const { provider, ctx } = await login();
    const giveUp = { ...ctx, signal: AbortSignal.abort() };
    expect(await expectHostError(refreshTokens(provider, client, tokens, giveUp))).toMatchObject({ code: "CANCELLED" });
  });

  it("rejects an unsafe token endpoint", async () => {
    const { provider, ctx } = await login();
    const metadata = { ...provider.metadata, token_endpoint: "http://10.0.0.5/token" };
    expect(await expectHostError(refreshTokens({ ...provider, metadata }, client, tokens, ctx))).toMatchObject({
      code: "LOGIN_UNSAFE",
    });
  });
});

describe("The expiry of a token", () => {
  const HUNDRED_YEARS = 100 * 365 * 24 * 3600;

  it.each([
    [3600, 3_600_000],
    ["3600", 3_600_000],
    [0.5, 500],
    [1, 1000],
    [HUNDRED_YEARS, HUNDRED_YEARS * 1000],
    [0, undefined],
    ["0", undefined],
    [-1, undefined],
    [HUNDRED_YEARS + 1, undefined],
    [1e300, undefined],
    ["", undefined],
    ["soon", undefined],
    [null, undefined],
    [true, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])("is calculated from `expires_in`: %j", { meta: { covers: ["F35"] } }, async (expiresIn, ms) => {
    const { refresh, clock } = await login({ "/token": { access_token: "a", expires_in: expiresIn } });
    clock.advance(7000);
    const { expiresAt } = await refresh();
    expect(expiresAt).toBe(ms === undefined ? undefined : 7000 + ms);
  });

  it(
    "is counted from the start of the request, whatever the server's clock says",
    { meta: { covers: ["F35"] } },
    async () => {
      const { refresh, clock, as } = await login();
      as.routes["/token"] = () => {
        clock.advance(5000);
        const date = new Date(-600_000).toUTCString();
        return httpReply(200, { access_token: "a", expires_in: 60 }, { date });
      };
      expect(await refresh()).toMatchObject({ expiresAt: 60_000 });
    },
  );
});

describe("revokeTokens", () => {
  const revocable = (origin: string) => ({ revocation_endpoint: `${origin}/revoke` });

  async function revoked(answer: Routes[string], revokedTokens = tokens) {
    const sites = await login({ "/revoke": answer });
    const metadata = { ...sites.provider.metadata, ...revocable(sites.as.origin) };
    const result = await revokeTokens({ ...sites.provider, metadata }, client, revokedTokens, sites.ctx);
    const sent = sites.as.requests.filter(({ path }) => path === "/revoke").map(({ form }) => Object.fromEntries(form));
    return { result, sent };
  }

  it("revokes the refresh token first", async () => {
    expect(await revoked(httpReply(200))).toEqual({
      result: "yes",
      sent: [
        { token: "old-refresh-token", token_type_hint: "refresh_token", client_id: "me" },
        { token: "old-access-token", token_type_hint: "access_token", client_id: "me" },
      ],
    });
  });

  it.each([400, 404, 503])('returns "no" for HTTP status %i', async (status) => {
    expect(await revoked(httpReply(status))).toMatchObject({ result: "no" });
  });

  it('returns "yes" if the server can revoke one kind of token, and "unsupported" if none', async () => {
    const unsupported = httpReply(400, { error: "unsupported_token_type" });
    const { result } = await revoked(({ form }: SiteRequest) =>
      form.get("token_type_hint") === "access_token" ? unsupported : httpReply(200),
    );
    expect(result).toBe("yes");
    expect(await revoked(unsupported)).toMatchObject({ result: "unsupported" });
  });

  it('returns "unsupported" without a revocation endpoint', async () => {
    const { provider, ctx } = await login();
    expect(await revokeTokens(provider, client, tokens, ctx)).toBe("unsupported");
  });

  it("does not throw if the server is unreachable", async () => {
    const { provider, ctx, as } = await login();
    const offline = { ...ctx, fetch: () => Promise.reject(new Error("offline")) };
    const metadata = { ...provider.metadata, ...revocable(as.origin) };
    expect(await revokeTokens({ ...provider, metadata }, client, tokens, offline)).toBe("no");
  });
});
