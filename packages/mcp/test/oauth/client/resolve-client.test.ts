/** As whom a login is made: in which order, and what an authorization server gets to see. */
import { discoverProvider, resolveClient } from "@plugboard/mcp/oauth";
import type { OAuthClient, ResolveClientOptions } from "@plugboard/mcp/oauth";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../helpers/manual-clock.ts";
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

const registrations = ({ as }: LoginSites) => as.seen.filter((one) => one === "POST /register").length;

describe("the identity of a client", () => {
  it("is what is configured, whatever else there is", async () => {
    const sites = await startLoginSites({ metadata: { client_id_metadata_document_supported: true } });
    const configured = { clientId: "mine" };
    const client = await identified(sites, { configured, clientMetadataUrl, registered });
    expect(client).toEqual({ clientId: "mine", authMethod: "none", origin: "configured", issuer: sites.as.origin });
    expect(registrations(sites)).toBe(0);
  });

  it("is else the address of a document, where that is supported", async () => {
    const sites = await startLoginSites({ metadata: { client_id_metadata_document_supported: true } });
    const client = await identified(sites, { clientMetadataUrl, registered });
    expect(client).toMatchObject({ clientId: clientMetadataUrl, authMethod: "none", origin: "document" });
    expect(registrations(sites)).toBe(0);
  });

  it("is no document that the authorization server could not fetch, or does not want", async () => {
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

  it("is else the one that was registered before", async () => {
    const sites = await startLoginSites();
    const known = { ...registered, issuer: sites.as.origin };
    expect(await identified(sites, { registered: known })).toBe(known);
    expect(registrations(sites)).toBe(0);
  });

  it.each([
    ["is sent back elsewhere", { redirectUri: "http://127.0.0.1:8888/callback" }],
    ["has a secret that has expired", { secretExpiresAt: 1000 }],
    ["was configured then", { origin: "configured" as const }],
  ])("is not one that %s", async (_, differs) => {
    const clock = new ManualClock();
    const sites = await startLoginSites({ clock });
    clock.advance(1000);
    const known = { ...registered, issuer: sites.as.origin, ...differs };
    expect(await identified(sites, { registered: known })).toMatchObject({ clientId: "registered-client" });
    expect(registrations(sites)).toBe(1);
  });

  it("is not one that another authorization server knows", { meta: { covers: ["S9"] } }, async () => {
    const sites = await startLoginSites();
    const known = { ...registered, issuer: "https://old.example", clientSecret: "old-secret" };
    expect(await identified(sites, { registered: known })).toMatchObject({
      clientId: "registered-client",
      issuer: sites.as.origin,
    });
    expect(JSON.stringify(sites.as.requests)).not.toMatch(/client-of-then|old-secret/);
  });

  it(
    "is not a configured one that is bound to another authorization server",
    { meta: { covers: ["S9"] } },
    async () => {
      const sites = await startLoginSites();
      const configured = { clientId: "mine", clientSecret: "my-secret", issuer: "https://old.example" };
      expect(await expectHostError(identified(sites, { configured }))).toMatchObject({ code: "LOGIN_UNSAFE" });
      expect(sites.as.seen).toHaveLength(1);
    },
  );

  it("has to be configured where nobody can be registered", async () => {
    const sites = await startLoginSites({ metadata: { registration_endpoint: undefined } });
    expect(await expectHostError(identified(sites))).toMatchObject({
      code: "LOGIN_NOT_OFFERED",
      details: { reason: expect.stringContaining("client_id") },
    });
  });

  it("is left nowhere that is refused for its lack of S256", { meta: { covers: ["S4"] } }, async () => {
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
  ])("that has a secret shows it as is supported (%j)", async (methods, authMethod) => {
    const sites = await startLoginSites({ metadata: { token_endpoint_auth_methods_supported: methods } });
    const configured = { clientId: "mine", clientSecret: "secret" };
    expect(await identified(sites, { configured })).toMatchObject({ authMethod, clientSecret: "secret" });
    const signing = { clientId: "mine", privateKey: "pem" };
    expect(await identified(sites, { configured: signing })).toMatchObject({ authMethod: "private_key_jwt" });
  });
});

describe("a registration", () => {
  it("says what Plugboard is, and asks for all that may be needed", { meta: { covers: ["S13"] } }, async () => {
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

  it("is also for the login on another device where there is one", async () => {
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
    ["none", { client_secret: "s" }, ["none"], { authMethod: "none" }],
    ["basic", { client_secret: "s", client_secret_expires_at: 0 }, undefined, { authMethod: "client_secret_basic" }],
    [
      "post, as the server decided",
      { client_secret: "s", client_secret_expires_at: 2000, token_endpoint_auth_method: "client_secret_post" },
      undefined,
      { authMethod: "client_secret_post", clientSecret: "s", secretExpiresAt: 2_000_000 },
    ],
    ["none, without a secret", { client_secret: null }, ["client_secret_basic"], { authMethod: "none" }],
    ["none, with an empty secret", { client_secret: "" }, ["client_secret_post"], { authMethod: "none" }],
    ["basic, without a date", { client_secret: "s" }, undefined, { clientSecret: "s" }],
    ["basic, with a date that is none", { client_secret: "s", client_secret_expires_at: "never" }, undefined, {}],
  ])("leads to %s", async (_, answer, methods, client) => {
    const sites = await startLoginSites({
      metadata: { token_endpoint_auth_methods_supported: methods },
      routes: { "/register": httpReply(200, { client_id: "c", ...answer }) },
    });
    const { secretExpiresAt, ...got } = await identified(sites);
    expect({ ...got, ...(secretExpiresAt && { secretExpiresAt }) }).toMatchObject({ clientId: "c", ...client });
    if (!("secretExpiresAt" in client)) expect(secretExpiresAt).toBeUndefined();
  });

  it("that is refused says why, and what to do instead", async () => {
    const refused = { error: "invalid_redirect_uri", error_description: "Only\u001b[2J https." };
    const sites = await startLoginSites({ routes: { "/register": httpReply(400, refused) } });
    const error = await expectHostError(identified(sites));
    expect(error).toMatchObject({ code: "LOGIN_FAILED", details: { error: "invalid_redirect_uri" } });
    expect(error.message).toContain("Only<U+001B>[2J https");
    expect(error.message).toContain("client_id");
  });

  it("is tried at an older server before anybody opens a browser there", async () => {
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
