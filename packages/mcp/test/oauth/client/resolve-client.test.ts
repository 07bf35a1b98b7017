/** Tests which OAuth client a login uses, and what the authorization server gets. */
import { discoverProvider, resolveClient } from "@plugboard/mcp/oauth";
import type { OAuthClient, ResolveClientOptions } from "@plugboard/mcp/oauth";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
import { loopbackContext, httpReply, startLoginSites, startSite, expectHostError } from "../../helpers/oauth-site.ts";
import type { LoginSites } from "../../helpers/oauth-site.ts";

const redirectUri = "http://127.0.0.1:7777/callback";
const clientMetadataUrl = "https://plugboard.example/client.json";
const registered: OAuthClient = { clientId: "client-of-then", authMethod: "none", origin: "registered", redirectUri };

async function identified({ url, ctx }: LoginSites, want: ResolveClientOptions = {}): Promise<OAuthClient> {
  return resolveClient(await discoverProvider({ url }, ctx), { redirectUri, ...want }, ctx);
}

function registration({ as }: LoginSites): { [name: string]: unknown } {
  const sent = as.requests.find(({ path }) => path === "/register");
  return sent ? (JSON.parse(sent.body) as { [name: string]: unknown }) : {};
}

const registrations = ({ as }: LoginSites) => as.seen.filter((request) => request === "POST /register").length;

describe("resolveClient", () => {
  it("prefers the configured client", async () => {
    const sites = await startLoginSites({ metadata: { client_id_metadata_document_supported: true } });
    const configured = { clientId: "mine" };
    const client = await identified(sites, { configured, clientMetadataUrl, registered });
    expect(client).toEqual({ clientId: "mine", authMethod: "none", origin: "configured", issuer: sites.as.origin });
    expect(registrations(sites)).toBe(0);
  });

  it("uses a client ID metadata document if the server supports it", async () => {
    const sites = await startLoginSites({ metadata: { client_id_metadata_document_supported: true } });
    const client = await identified(sites, { clientMetadataUrl, registered });
    expect(client).toMatchObject({ clientId: clientMetadataUrl, authMethod: "none", origin: "document" });
    expect(registrations(sites)).toBe(0);
  });

  it("does not use a client ID metadata document that the server can't fetch or does not support", async () => {
    const sites = await startLoginSites({ metadata: { client_id_metadata_document_supported: true } });
    for (const url of [
      "http://a.example/c.json",
      "https://a.example",
      "https://a.example/",
      "https://a.example/c#x",
      "c",
    ]) {
      expect(await identified(sites, { clientMetadataUrl: url, registered })).toBe(registered);
    }
    const without = await startLoginSites();
    expect(await identified(without, { clientMetadataUrl, registered })).toBe(registered);
  });

  it("uses an earlier registration", async () => {
    const sites = await startLoginSites();
    const earlierClient = { ...registered, issuer: sites.as.origin };
    expect(await identified(sites, { registered: earlierClient })).toBe(earlierClient);
    expect(registrations(sites)).toBe(0);
  });

  it.each([
    ["has another redirect URI", { redirectUri: "http://127.0.0.1:8888/callback" }],
    ["has a secret that has expired", { secretExpiresAt: 1000 }],
    ["was configured, not registered", { origin: "configured" as const }],
  ])("does not use an earlier client that %s", async (_, differs) => {
    const clock = new ManualClock();
    const sites = await startLoginSites({ clock });
    clock.advance(1000);
    const earlierClient = { ...registered, issuer: sites.as.origin, ...differs };
    expect(await identified(sites, { registered: earlierClient })).toMatchObject({ clientId: "registered-client" });
    expect(registrations(sites)).toBe(1);
  });

  it("does not use a client of another authorization server", { meta: { covers: ["S9"] } }, async () => {
    const sites = await startLoginSites();
    const earlierClient = { ...registered, issuer: "https://old.example", clientSecret: "old-secret" };
    expect(await identified(sites, { registered: earlierClient })).toMatchObject({
      clientId: "registered-client",
      issuer: sites.as.origin,
    });
    expect(JSON.stringify(sites.as.requests)).not.toMatch(/client-of-then|old-secret/);
  });

  it(
    "rejects a configured client that belongs to another authorization server",
    { meta: { covers: ["S9"] } },
    async () => {
      const sites = await startLoginSites();
      const configured = { clientId: "mine", clientSecret: "my-secret", issuer: "https://old.example" };
      expect(await expectHostError(identified(sites, { configured }))).toMatchObject({ code: "LOGIN_UNSAFE" });
      expect(sites.as.seen).toHaveLength(1);
    },
  );

  it("throws LOGIN_NOT_OFFERED if no client is configured and the server accepts no registration", async () => {
    const sites = await startLoginSites({ metadata: { registration_endpoint: undefined } });
    expect(await expectHostError(identified(sites))).toMatchObject({
      code: "LOGIN_NOT_OFFERED",
      details: { reason: expect.stringContaining("client_id") },
    });
  });

  it("registers no client at a server that does not support PKCE with S256", { meta: { covers: ["S4"] } }, async () => {
    const sites = await startLoginSites({ metadata: { code_challenge_methods_supported: ["plain"] } });
    expect(await expectHostError(identified(sites))).toMatchObject({ code: "LOGIN_UNSAFE" });
    expect(registrations(sites)).toBe(0);
  });

  it.each([
    [undefined, "client_secret_basic"],
    [["client_secret_post", "client_secret_basic"], "client_secret_basic"],
    [["none", "client_secret_post"], "client_secret_post"],
    [["none"], "none"],
    [["tls_client_auth"], "client_secret_basic"],
  ])(
    "chooses an authentication method for a client with a secret if the server supports %j",
    async (methods, authMethod) => {
      const sites = await startLoginSites({ metadata: { token_endpoint_auth_methods_supported: methods } });
      const configured = { clientId: "mine", clientSecret: "secret" };
      expect(await identified(sites, { configured })).toMatchObject({ authMethod, clientSecret: "secret" });
      const signing = { clientId: "mine", privateKey: "pem" };
      expect(await identified(sites, { configured: signing })).toMatchObject({ authMethod: "private_key_jwt" });
    },
  );
});

describe("registerClient", () => {
  it("sends a description of Plugboard and all scopes that may be needed", { meta: { covers: ["S13"] } }, async () => {
    const sites = await startLoginSites({ resource: { scopes_supported: ["read", "write"] } });
    const client = await identified(sites, { scope: "read offline_access" });
    expect(registration(sites)).toEqual({
      client_name: "Plugboard",
      application_type: "native",
      redirect_uris: [redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      scope: "read write offline_access",
    });
    expect(client).toEqual({
      clientId: "registered-client",
      authMethod: "none",
      origin: "registered",
      issuer: sites.as.origin,
      redirectUri,
    });
  });

  it("requests the device grant if the server supports it", async () => {
    const metadata = { device_authorization_endpoint: "https://as.example/device" };
    const device = "urn:ietf:params:oauth:grant-type:device_code";
    const sites = await startLoginSites({ metadata });
    await identified(sites);
    expect(registration(sites)).toMatchObject({ grant_types: ["authorization_code", "refresh_token", device] });

    const { url, ctx, as } = await startLoginSites({ metadata });
    await resolveClient(await discoverProvider({ url }, ctx), {}, ctx);
    const sent = JSON.parse(as.requests.at(-1)?.body ?? "") as object;
    expect(sent).toMatchObject({ grant_types: [device, "refresh_token"], response_types: [] });
    expect(sent).not.toHaveProperty("redirect_uris");
  });

  it.each([
    ["no authentication", { client_secret: "s" }, ["none"], { authMethod: "none" }],
    [
      "basic authentication",
      { client_secret: "s", client_secret_expires_at: 0 },
      undefined,
      { authMethod: "client_secret_basic" },
    ],
    [
      "post authentication if the server chose it",
      { client_secret: "s", client_secret_expires_at: 2000, token_endpoint_auth_method: "client_secret_post" },
      undefined,
      { authMethod: "client_secret_post", clientSecret: "s", secretExpiresAt: 2_000_000 },
    ],
    ["no authentication without a secret", { client_secret: null }, ["client_secret_basic"], { authMethod: "none" }],
    ["no authentication with an empty secret", { client_secret: "" }, ["client_secret_post"], { authMethod: "none" }],
    ["basic authentication without an expiry", { client_secret: "s" }, undefined, { clientSecret: "s" }],
    [
      "basic authentication with an invalid expiry",
      { client_secret: "s", client_secret_expires_at: "never" },
      undefined,
      {},
    ],
  ])("returns a client that uses %s", async (_, answer, methods, client) => {
    const sites = await startLoginSites({
      metadata: { token_endpoint_auth_methods_supported: methods },
      routes: { "/register": httpReply(200, { client_id: "c", ...answer }) },
    });
    const { secretExpiresAt, ...registeredClient } = await identified(sites);
    expect({ ...registeredClient, ...(secretExpiresAt && { secretExpiresAt }) }).toMatchObject({
      clientId: "c",
      ...client,
    });
    if (!("secretExpiresAt" in client)) expect(secretExpiresAt).toBeUndefined();
  });

  it("reports a rejected registration with the reason and what the user can do", async () => {
    const refused = { error: "invalid_redirect_uri", error_description: "Only\u001b[2J https." };
    const sites = await startLoginSites({ routes: { "/register": httpReply(400, refused) } });
    const error = await expectHostError(identified(sites));
    expect(error).toMatchObject({ code: "LOGIN_FAILED", details: { error: "invalid_redirect_uri" } });
    expect(error.message).toContain("Only<U+001B>[2J https");
    expect(error.message).toContain("client_id");
  });

  it("registers at an older server before a browser is opened", async () => {
    const url = (origin: string) => `${origin}/mcp`;
    const good = await startSite(() => ({ "/register": httpReply(201, { client_id: "c" }) }));
    const ctx = loopbackContext();
    expect(
      await resolveClient(await discoverProvider({ url: url(good.origin) }, ctx), { redirectUri }, ctx),
    ).toMatchObject({
      clientId: "c",
      issuer: good.origin,
    });
    for (const answer of [
      httpReply(404),
      httpReply(500, "oops"),
      httpReply(200, "<html>"),
      httpReply(401, { error: "unauthorized" }),
    ]) {
      const site = await startSite(() => ({ "/register": answer }));
      const provider = await discoverProvider({ url: url(site.origin) }, ctx);
      expect(await expectHostError(resolveClient(provider, { redirectUri }, ctx))).toMatchObject({
        code: "LOGIN_NOT_OFFERED",
      });
      const configured = { clientId: "mine" };
      expect(await resolveClient(provider, { redirectUri, configured }, ctx)).toMatchObject({ clientId: "mine" });
    }
  });
});
