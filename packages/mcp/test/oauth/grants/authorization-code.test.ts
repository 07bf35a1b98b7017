/** Tests the login in a browser, from the opened URL to the tokens. */
import { createHash } from "node:crypto";
import type { HostError } from "@plugboard/contracts";
import { beginAuthorization, discoverProvider } from "@plugboard/mcp/oauth";
import type { Authorization, OAuthClient } from "@plugboard/mcp/oauth";
import { describe, expect, it } from "vitest";
import { httpReply, startLoginSites, expectHostError } from "../../helpers/oauth-site.ts";
import type { LoginSites } from "../../helpers/oauth-site.ts";

const redirectUri = "http://127.0.0.1:7777/callback";
const publicClient: OAuthClient = { clientId: "me", authMethod: "none", origin: "configured" };

type Options = Parameters<typeof startLoginSites>[0];

async function begin(options: Options = {}, client = publicClient, scope?: string) {
  const sites = await startLoginSites(options);
  const provider = await discoverProvider({ url: sites.url }, sites.ctx);
  const request = { redirectUri, ...(scope !== undefined && { scope }) };
  const authorization = await beginAuthorization(provider, client, request, sites.ctx);
  return { ...sites, authorization };
}

function answered({ state }: Authorization, parameters: { [name: string]: string } = {}): URL {
  return new URL(`${redirectUri}?${new URLSearchParams({ code: "the-code", state, ...parameters }).toString()}`);
}

const tokenRequests = ({ as }: Pick<LoginSites, "as">) => as.seen.filter((request) => request === "POST /token").length;

describe("beginAuthorization", () => {
  it(
    "requests a code with PKCE for the resource, and tokens for the same resource",
    { meta: { covers: ["S7"] } },
    async () => {
      const { authorization, as, url } = await begin({ metadata: {} }, publicClient, "read write");
      const { searchParams: requested, origin, pathname } = new URL(authorization.url);

      const tokens = await authorization.redeem(answered(authorization));

      expect(`${origin}${pathname}`).toBe(`${as.origin}/authorize`);
      expect(Object.fromEntries(requested)).toEqual({
        response_type: "code",
        client_id: "me",
        redirect_uri: redirectUri,
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: "S256",
        state: authorization.state,
        scope: "read write",
        resource: url,
      });
      const { code_verifier: verifier = "", ...sent } = Object.fromEntries(as.form("/token"));
      expect(sent).toEqual({
        grant_type: "authorization_code",
        code: "the-code",
        client_id: "me",
        redirect_uri: redirectUri,
        resource: url,
      });
      expect(createHash("sha256").update(verifier).digest("base64url")).toBe(requested.get("code_challenge"));
      expect(tokens).toMatchObject({ accessToken: "granted-access-token", tokenType: "Bearer", scope: "read write" });
    },
  );

  it("keeps the endpoint's own parameters and asks for consent to offline access", async () => {
    const metadata = { authorization_endpoint: "https://as.example/go?tenant=1&state=theirs#top" };
    const { authorization } = await begin({ metadata }, publicClient, "read offline_access");
    const { searchParams, hash } = new URL(authorization.url);
    expect([searchParams.get("tenant"), searchParams.get("prompt"), hash]).toEqual(["1", "consent", ""]);
    expect(searchParams.getAll("state")).toEqual([authorization.state]);
  });

  it.each([[undefined], [[]], [["plain"]]])(
    "throws LOGIN_UNSAFE if the metadata lists the PKCE methods %j",
    { meta: { covers: ["S4"] } },
    async (methods) => {
      const sites = await startLoginSites({ metadata: { code_challenge_methods_supported: methods } });
      const provider = await discoverProvider({ url: sites.url }, sites.ctx);
      const refused = expectHostError(beginAuthorization(provider, publicClient, { redirectUri }, sites.ctx));
      expect(await refused).toMatchObject({ code: "LOGIN_UNSAFE" });
    },
  );

  it("uses PKCE with S256 if there is no metadata", { meta: { covers: ["S4"] } }, async () => {
    const { url, ctx } = await startLoginSites();
    const configured = { authorizationUrl: "https://as.example/a", tokenUrl: "https://as.example/t" };
    const provider = await discoverProvider({ url, configured }, ctx);
    const { url: opened } = await beginAuthorization(provider, publicClient, { redirectUri }, ctx);
    expect(new URL(opened).searchParams.get("code_challenge_method")).toBe("S256");
  });

  it.each(["http://10.0.0.5/callback", "http://evil.example/", "plugboard://callback", "file:///tmp/x"])(
    "rejects the redirect URI %s",
    { meta: { covers: ["S10"] } },
    async (unsafe) => {
      const { url, ctx } = await startLoginSites();
      const provider = await discoverProvider({ url }, ctx);
      const refused = expectHostError(beginAuthorization(provider, publicClient, { redirectUri: unsafe }, ctx));
      expect(await refused).toMatchObject({ code: "LOGIN_UNSAFE" });
    },
  );

  it(
    "does not send the secret of a client to an authorization server that has not issued it",
    { meta: { covers: ["S9"] } },
    async () => {
      const foreign = {
        ...publicClient,
        clientSecret: "s3cret",
        authMethod: "client_secret_post",
        issuer: "https://b.example",
      };
      const sites = await begin({}, foreign as OAuthClient);
      const refused = await expectHostError(sites.authorization.redeem(answered(sites.authorization)));
      expect(refused).toMatchObject({ code: "LOGIN_UNSAFE" });
      expect(tokenRequests(sites)).toBe(0);
    },
  );
});

describe("The authorization response", () => {
  const advertised = { metadata: { authorization_response_iss_parameter_supported: true } };

  it.each([
    ["with a trailing slash", (issuer: string) => `${issuer}/`],
    ["in capitals", (issuer: string) => issuer.toUpperCase()],
    ["with another port", (issuer: string) => issuer.replace(/:\d+$/, ":443")],
    ["of another server", () => "https://evil.example"],
  ])(
    "is rejected if its issuer differs (%s), and its error text is not shown",
    { meta: { covers: ["S5"] } },
    async (_, iss) => {
      for (const options of [advertised, {}]) {
        const sites = await begin(options);
        const { authorization, as } = sites;
        for (const errorParameters of [{}, { error: "access_denied", error_description: "call 555-EVIL" }]) {
          const error = await expectHostError(
            authorization.redeem(answered(authorization, { iss: iss(as.origin), ...errorParameters })),
          );
          expect(error).toMatchObject({ code: "LOGIN_UNSAFE" });
          expect(error.message).not.toMatch(/denied|EVIL|evil/);
        }
        expect(tokenRequests(sites)).toBe(0);
      }
    },
  );

  it(
    "is rejected if it lacks the issuer that the metadata promises, or has two issuers",
    { meta: { covers: ["S5"] } },
    async () => {
      const sites = await begin(advertised);
      const { authorization, as } = sites;
      const twice = answered(authorization, { iss: as.origin });
      twice.searchParams.append("iss", "https://evil.example");
      const words = answered(authorization, { error: "x", error_description: "EVIL" });
      const empty = answered(authorization, { iss: "" });
      for (const redirected of [answered(authorization), twice, words, empty]) {
        const error = await expectHostError(authorization.redeem(redirected));
        expect(error).toMatchObject({ code: "LOGIN_UNSAFE" });
        expect(error.message).not.toContain("EVIL");
      }
      expect(tokenRequests(sites)).toBe(0);
      await authorization.redeem(answered(authorization, { iss: as.origin }));
      expect(tokenRequests(sites)).toBe(1);
    },
  );

  it(
    "is accepted with the published issuer, even if another token endpoint is configured",
    { meta: { covers: ["S5"] } },
    async () => {
      const sites = await startLoginSites();
      const { as, url, ctx } = sites;
      const provider = await discoverProvider({ url, configured: { tokenUrl: `${as.origin}/token` } }, ctx);
      const authorization = await beginAuthorization(provider, publicClient, { redirectUri }, ctx);
      expect(
        await expectHostError(authorization.redeem(answered(authorization, { iss: provider.issuer }))),
      ).toMatchObject({
        code: "LOGIN_UNSAFE",
      });
      await authorization.redeem(answered(authorization, { iss: as.origin }));
      expect(tokenRequests(sites)).toBe(1);
    },
  );

  it(
    "is accepted from a server without metadata only if the issuer has the origin of its endpoints",
    { meta: { covers: ["S5"] } },
    async () => {
      const sites = await startLoginSites();
      const { as, url, ctx } = sites;
      const configured = { authorizationUrl: `${as.origin}/authorize`, tokenUrl: `${as.origin}/token` };
      const provider = await discoverProvider({ url, configured }, ctx);
      const login = () => beginAuthorization(provider, publicClient, { redirectUri }, ctx);
      for (const iss of ["https://evil.example", "evil"]) {
        const authorization = await login();
        const refused = await expectHostError(authorization.redeem(answered(authorization, { iss })));
        expect(refused).toMatchObject({ code: "LOGIN_UNSAFE" });
      }
      expect(tokenRequests(sites)).toBe(0);
      for (const iss of [{}, { iss: `${as.origin}/tenant` }]) {
        const authorization = await login();
        await authorization.redeem(answered(authorization, iss));
      }
      expect(tokenRequests(sites)).toBe(2);
    },
  );

  it("is accepted only once, and only for its own login", { meta: { covers: ["S6"] } }, async () => {
    const sites = await begin();
    const { authorization } = sites;
    const otherResponse = new URL(`${redirectUri}?code=c&state=other`);
    const none = new URL(`${redirectUri}?code=c`);
    const twice = new URL(`${answered(authorization).href}&state=other`);
    for (const redirected of [otherResponse, none, twice]) {
      expect(await expectHostError(authorization.redeem(redirected))).toMatchObject({ code: "LOGIN_UNSAFE" });
    }
    expect(tokenRequests(sites)).toBe(0);
    // The response to another login has not invalidated this login.
    await authorization.redeem(answered(authorization));
    expect(await expectHostError(authorization.redeem(answered(authorization)))).toMatchObject({
      code: "LOGIN_UNSAFE",
    });
    expect(tokenRequests(sites)).toBe(1);
  });

  it("is reported with the text of the authorization server if it is an error", async () => {
    const { authorization } = await begin();
    const { state } = authorization;
    const errorParameters = { error: "access_denied", error_description: `No,\u202e not\nyou. ${state}`, state };
    const redirected = new URL(`${redirectUri}?${new URLSearchParams(errorParameters).toString()}`);
    const error = (await expectHostError(authorization.redeem(redirected))) as HostError<"LOGIN_FAILED">;
    expect(error.code).toBe("LOGIN_FAILED");
    expect(error.details).toEqual({
      server: "demo",
      error: "access_denied",
      reason: "its authorization server said access_denied: No,<U+202E> not⏎you. ***",
    });
  });

  it("is an error if it has no code", async () => {
    const { authorization } = await begin();
    const redirected = new URL(`${redirectUri}?state=${authorization.state}`);
    expect(await expectHostError(authorization.redeem(redirected))).toMatchObject({ code: "LOGIN_FAILED" });
  });
});

describe("A rejected authorization code", () => {
  it("is reported without the sent secrets, even if the server quotes them", async () => {
    const client: OAuthClient = {
      clientId: "me",
      clientSecret: "s3cret/+value",
      authMethod: "client_secret_basic",
      origin: "configured",
    };
    const { authorization } = await begin(
      {
        routes: {
          "/token": ({ form, headers }) =>
            httpReply(
              400,
              {
                error: "invalid_grant",
                error_description: `${form.get("code")} ${form.get("code_verifier")?.slice(3, 30)} ${headers["authorization"] as string} s3cret/+value ${encodeURIComponent("s3cret/+value")} ${"x".repeat(500)}`,
              },
              { "www-authenticate": "Basic" },
            ),
        },
      },
      client,
    );
    const error = (await expectHostError(authorization.redeem(answered(authorization)))) as HostError<"LOGIN_FAILED">;
    expect(error.details).toMatchObject({ error: "invalid_grant" });
    expect(error.details.reason).toMatch(/: \*\*\* \*\*\* Basic \*\*\* \*\*\* \*\*\* x+…$/);
    expect(error.details.reason.length).toBeLessThan(300);
    expect(error.cause).toBeUndefined();
  });
});
