/** Tests complete logins at a third-party authorization server. */
import {
  beginAuthorization,
  beginDeviceAuthorization,
  discoverProvider,
  resolveClient,
  refreshTokens,
  revokeTokens,
  selectScope,
} from "@plugboard/mcp/oauth";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { agree, startOidcProvider } from "../../helpers/oidc-provider.mjs";
import { loopbackContext, startSite, expectHostError } from "../../helpers/oauth-site.ts";

const redirectUri = "http://127.0.0.1:7777/callback";

beforeEach(() => {
  // The provider prints warnings about its use in tests.
  vi.spyOn(console, "info").mockReturnValue();
  vi.spyOn(console, "warn").mockReturnValue();
});

async function startServer(says: object = {}) {
  const server = await startSite();
  const url = `${server.origin}/mcp`;
  const { issuer, stop } = await startOidcProvider(url);
  onTestFinished(stop);
  server.routes["/.well-known/oauth-protected-resource/mcp"] = {
    resource: url,
    authorization_servers: [issuer],
    scopes_supported: ["read", "write"],
    ...says,
  };
  const ctx = loopbackContext();
  return { url, issuer, ctx, provider: await discoverProvider({ url }, ctx) };
}

it("A browser login, a refresh and a logout work at a real authorization server", async () => {
  const { url, issuer, ctx, provider } = await startServer();
  const scope = selectScope({ provider }) ?? "";
  expect(scope).toBe("read write offline_access");
  const client = await resolveClient(provider, { redirectUri, scope }, ctx);
  expect(client).toMatchObject({ origin: "registered", authMethod: "none", issuer });

  const authorization = await beginAuthorization(provider, client, { redirectUri, scope }, ctx);
  const redirected = await agree(authorization.url);
  expect(new URL(redirected).searchParams.get("iss")).toBe(issuer);
  const tokens = await authorization.redeem(new URL(redirected));
  expect(tokens).toMatchObject({ tokenType: "Bearer", identity: "ada", refreshToken: expect.any(String) });
  const claims = JSON.parse(Buffer.from(tokens.accessToken.split(".")[1] ?? "", "base64url").toString()) as object;
  expect(claims).toMatchObject({ aud: url, iss: issuer, scope: "read write" });

  const renewed = await refreshTokens(provider, client, tokens, ctx);
  expect(renewed.accessToken).not.toBe(tokens.accessToken);
  expect(renewed).toMatchObject({ identity: "ada", refreshToken: expect.any(String) });

  // The provider says that it can't revoke access tokens.
  expect(await revokeTokens(provider, client, renewed, ctx)).toBe("yes");
  const refused = await expectHostError(refreshTokens(provider, client, renewed, ctx));
  expect(refused).toMatchObject({ code: "LOGIN_FAILED", details: { error: "invalid_grant" } });
});

it("DPoP-bound tokens work at a real authorization server", async () => {
  const { ctx, provider } = await startServer({ dpop_bound_access_tokens_required: true });
  const scope = "read offline_access";
  const client = await resolveClient(provider, { redirectUri, scope }, ctx);
  const authorization = await beginAuthorization(provider, client, { redirectUri, scope }, ctx);
  const tokens = await authorization.redeem(new URL(await agree(authorization.url)));
  const renewed = await refreshTokens(provider, client, tokens, ctx);
  for (const { tokenType, accessToken } of [tokens, renewed]) {
    expect(tokenType).toBe("DPoP");
    const claims = JSON.parse(Buffer.from(accessToken.split(".")[1] ?? "", "base64url").toString()) as object;
    expect(claims).toMatchObject({ cnf: { jkt: expect.any(String) } });
  }
  const { dpopKey: _, ...without } = renewed;
  expect(await expectHostError(refreshTokens(provider, client, without, ctx))).toMatchObject({ code: "LOGIN_FAILED" });
});

it("A device login works at a real authorization server", async () => {
  const { ctx, provider } = await startServer();
  const client = await resolveClient(provider, { scope: "read" }, ctx);
  const clock = { now: () => Date.now(), after: (_: number, askNow: () => void) => (setImmediate(askNow), () => {}) };
  const { url, code, waitForTokens } = await beginDeviceAuthorization(
    provider,
    client,
    { scope: "read" },
    { ...ctx, clock },
  );
  expect(await agree(url, { user_code: code })).toContain("Sign-in Success");
  expect(await waitForTokens()).toMatchObject({ tokenType: "Bearer", identity: "ada", scope: "read" });
});
