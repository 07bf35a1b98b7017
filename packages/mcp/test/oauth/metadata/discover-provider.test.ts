/** Tests the discovery of the authorization server: the order of the requests and the checks. */
import { discoverProvider, parseChallenge } from "@plugboard/mcp/oauth";
import { describe, expect, it } from "vitest";
import { loopbackContext, httpReply, startLoginSites, startSite, expectHostError } from "../../helpers/oauth-site.ts";

const PATH = "/.well-known/oauth-protected-resource/mcp";
const ROOT = "/.well-known/oauth-protected-resource";
const RFC8414 = "/.well-known/oauth-authorization-server";
const OPENID = "/.well-known/openid-configuration";

describe("The resource metadata", () => {
  it(
    "is requested at the URL of the challenge, then at the server's path, then at the root",
    { meta: { covers: ["S1", "R2.152"] } },
    async () => {
      const { server, as, url, ctx } = await startLoginSites();
      const document = { resource: server.origin, authorization_servers: [as.origin] };
      server.routes[PATH] = httpReply(404);
      server.routes[ROOT] = document;
      const challenge = parseChallenge(`Bearer resource_metadata="${server.origin}/elsewhere"`);

      const found = await discoverProvider({ url, challenge }, ctx);

      expect(found).toMatchObject({ source: "metadata", issuer: as.origin, resource: server.origin });
      expect(server.seen).toEqual(["GET /elsewhere", `GET ${PATH}`, `GET ${ROOT}`]);
    },
  );

  it("is taken from the first URL that has it", { meta: { covers: ["S1"] } }, async () => {
    const { server, url, ctx } = await startLoginSites();
    server.routes["/elsewhere"] = server.routes[PATH] ?? {};
    const challenge = parseChallenge(`Bearer resource_metadata="/elsewhere"`);

    await discoverProvider({ url, challenge }, ctx);
    await discoverProvider({ url }, ctx);

    expect(server.seen).toEqual(["GET /elsewhere", `GET ${PATH}`]);
  });

  it("may be published on another origin if it names this server", async () => {
    const { server, as, url, ctx } = await startLoginSites();
    as.routes["/of-demo"] = { resource: url, authorization_servers: [as.origin], scopes_supported: ["a", 1, "b"] };
    const challenge = { resourceMetadata: `${as.origin}/of-demo` };

    expect(await discoverProvider({ url, challenge }, ctx)).toMatchObject({
      resource: url,
      scopesSupported: ["a", "b"],
    });
    expect(server.seen).toEqual([]);
  });

  it.each([
    ["another origin", () => "https://evil.example/mcp"],
    ["another path", (origin: string) => `${origin}/other`],
    ["a path that is only a prefix", (origin: string) => `${origin}/mc`],
    ["a subpath", (origin: string) => `${origin}/mcp/admin`],
    ["another port", () => "http://127.0.0.1:1/mcp"],
    ["a URL with a fragment", (origin: string) => `${origin}/mcp#x`],
    ["an invalid URL", () => "demo"],
  ])("is rejected if its resource is %s", async (_, resource) => {
    const { server, as, url, ctx } = await startLoginSites();
    server.routes[PATH] = { resource: resource(server.origin), authorization_servers: [as.origin] };

    expect(await expectHostError(discoverProvider({ url }, ctx))).toMatchObject({ code: "LOGIN_UNSAFE" });
    expect([...server.seen, ...as.seen]).toEqual([`GET ${PATH}`]);
  });

  it("names the resource, which is kept exactly as published", async () => {
    const { server, as, ctx } = await startLoginSites();
    server.routes[`${ROOT}/mcp`] = { resource: server.origin, authorization_servers: [as.origin] };
    expect(await discoverProvider({ url: `${server.origin}/mcp/` }, ctx)).toMatchObject({ resource: server.origin });
  });

  it.each([500, 503, 504, 429])(
    "is not replaced by another document if the server fails with status %i",
    async (status) => {
      const { server, as, url, ctx } = await startLoginSites();
      server.routes[PATH] = httpReply(status);
      expect(await expectHostError(discoverProvider({ url }, ctx))).toMatchObject({ code: "SERVER_UNREACHABLE" });
      expect([...server.seen, ...as.seen]).toEqual([`GET ${PATH}`]);
    },
  );

  it("is not requested at an insecure URL", async () => {
    const { server, url, ctx } = await startLoginSites();
    for (const resourceMetadata of ["http://10.0.0.5/m", "file:///etc/passwd", "https://user:key@a.example/m"]) {
      expect(await expectHostError(discoverProvider({ url, challenge: { resourceMetadata } }, ctx))).toMatchObject({
        code: "LOGIN_UNSAFE",
      });
    }
    expect(server.seen).toEqual([]);
  });
});

describe("The authorization server metadata", () => {
  it(
    "is requested at three well-known URLs if the issuer has a path: first of RFC 8414, then both of OpenID",
    { meta: { covers: ["S2"] } },
    async () => {
      const { server, as, url, ctx } = await startLoginSites();
      const issuer = `${as.origin}/tenant/1`;
      server.routes[PATH] = { resource: url, authorization_servers: [issuer] };
      as.routes[`/tenant/1${OPENID}`] = { issuer, token_endpoint: `${issuer}/token` };

      expect(await discoverProvider({ url }, ctx)).toMatchObject({
        issuer,
        metadata: { token_endpoint: `${issuer}/token` },
      });
      expect(as.seen).toEqual([`GET ${RFC8414}/tenant/1`, `GET ${OPENID}/tenant/1`, `GET /tenant/1${OPENID}`]);
    },
  );

  it(
    "is requested at two well-known URLs if the issuer has no path: RFC 8414, then OpenID",
    { meta: { covers: ["S2"] } },
    async () => {
      const { as, url, ctx } = await startLoginSites();
      as.routes[OPENID] = as.routes[RFC8414] ?? {};
      as.routes[RFC8414] = httpReply(200, "<!doctype html>");

      expect(await discoverProvider({ url }, ctx)).toMatchObject({ issuer: as.origin });
      expect(as.seen).toEqual([`GET ${RFC8414}`, `GET ${OPENID}`]);
    },
  );

  it.each([
    ["another server", () => "https://evil.example"],
    ["the same with a trailing slash", (origin: string) => `${origin}/`],
    ["the same with a path", (origin: string) => `${origin}/tenant`],
    ["the same in capitals", (origin: string) => origin.toUpperCase()],
  ])("is rejected if its issuer is %s, without further requests", { meta: { covers: ["S3"] } }, async (_, issuer) => {
    const { server, as, url, ctx } = await startLoginSites();
    as.routes[OPENID] = as.routes[RFC8414] ?? {};
    as.routes[RFC8414] = { issuer: issuer(as.origin), token_endpoint: `${as.origin}/token` };

    expect(await expectHostError(discoverProvider({ url }, ctx))).toMatchObject({ code: "LOGIN_UNSAFE" });
    expect([...server.seen, ...as.seen]).toEqual([`GET ${PATH}`, `GET ${RFC8414}`]);
  });

  it("is accepted if only the resource metadata adds a slash after the issuer's host", async () => {
    const { server, as, url, ctx } = await startLoginSites();
    server.routes[PATH] = { resource: url, authorization_servers: [`${as.origin}/`] };
    expect(await discoverProvider({ url }, ctx)).toMatchObject({ issuer: as.origin });
  });

  it("is required if the resource metadata names the authorization server", async () => {
    const { as, url, ctx } = await startLoginSites();
    as.routes[RFC8414] = httpReply(404);
    expect(await expectHostError(discoverProvider({ url }, ctx))).toMatchObject({ code: "LOGIN_NOT_OFFERED" });
  });

  it.each(["http://10.0.0.5", "ftp://a.example", "https://a.example?x", "https://a.example#x", "a.example"])(
    "is not requested if the issuer is %s",
    async (issuer) => {
      const { server, url, ctx } = await startLoginSites();
      server.routes[PATH] = { resource: url, authorization_servers: [issuer] };
      expect(await expectHostError(discoverProvider({ url }, ctx))).toMatchObject({ code: "LOGIN_UNSAFE" });
    },
  );

  it.each([
    ["token_endpoint", "http://10.0.0.5/token"],
    ["authorization_endpoint", "file:///etc/passwd"],
    ["authorization_endpoint", "javascript:alert(1)"],
    ["registration_endpoint", "http://as.example/register"],
    ["device_authorization_endpoint", "http://127.0.0.1.evil.example/device"],
    ["revocation_endpoint", "https://me:secret@as.example/revoke"],
  ])("is rejected if its %s is %s", { meta: { covers: ["S10"] } }, async (name, endpoint) => {
    const { url, ctx } = await startLoginSites({ metadata: { [name]: endpoint } });
    const error = await expectHostError(discoverProvider({ url }, ctx));
    expect(error).toMatchObject({ code: "LOGIN_UNSAFE", details: { reason: expect.stringContaining(name) } });
  });

  it("may name http endpoints on the origin of the MCP server", { meta: { covers: ["S10"] } }, async () => {
    const origin = "http://10.0.0.5";
    const requested: string[] = [];
    const documents: { [url: string]: object } = {
      [`${origin}${RFC8414}`]: { issuer: origin, token_endpoint: `${origin}/token` },
    };
    const fetch = (url: string) => {
      requested.push(url);
      return Promise.resolve(documents[url] ? Response.json(documents[url]) : new Response("", { status: 404 }));
    };
    const found = await discoverProvider({ url: `${origin}/mcp` }, { ...loopbackContext(), fetch });
    expect(found).toMatchObject({ source: "metadata", issuer: origin });
    documents[`${origin}${RFC8414}`] = { issuer: origin, token_endpoint: "http://10.0.0.6/token" };
    expect(
      await expectHostError(discoverProvider({ url: `${origin}/mcp` }, { ...loopbackContext(), fetch })),
    ).toMatchObject({
      code: "LOGIN_UNSAFE",
    });
  });

  it("is reduced to its valid values", async () => {
    const { url, ctx } = await startLoginSites({
      metadata: {
        scopes_supported: "all",
        registration_endpoint: 7,
        code_challenge_methods_supported: ["S256", null, {}],
        client_id_metadata_document_supported: "true",
        anything: { else: true },
      },
    });
    const { metadata } = await discoverProvider({ url }, ctx);
    expect(metadata).not.toHaveProperty("scopes_supported");
    expect(metadata).not.toHaveProperty("registration_endpoint");
    expect(metadata).not.toHaveProperty("client_id_metadata_document_supported");
    expect(metadata).not.toHaveProperty("anything");
    expect(metadata.code_challenge_methods_supported).toEqual(["S256"]);
  });
});

describe("A server without resource metadata", () => {
  it("is its own authorization server if it publishes authorization server metadata", async () => {
    const site = await startSite((origin) => ({ [RFC8414]: { issuer: origin, token_endpoint: `${origin}/t` } }));
    const found = await discoverProvider({ url: `${site.origin}/some/mcp` }, loopbackContext());
    expect(found).toEqual({
      issuer: site.origin,
      source: "metadata",
      metadata: { issuer: site.origin, token_endpoint: `${site.origin}/t` },
    });
  });

  it("has the default endpoints of 2025-03-26 if it publishes nothing", async () => {
    const site = await startSite();
    const found = await discoverProvider({ url: `${site.origin}/mcp` }, loopbackContext());
    expect(found).toMatchObject({
      issuer: site.origin,
      source: "defaults",
      metadata: { authorization_endpoint: `${site.origin}/authorize`, token_endpoint: `${site.origin}/token` },
    });
    expect(found).not.toHaveProperty("resource");
    expect(site.seen).toEqual([`GET ${PATH}`, `GET ${ROOT}`, `GET ${RFC8414}`, `GET ${OPENID}`]);
  });
});

describe("Configured endpoints", () => {
  const configured = { authorizationUrl: "https://as.example/authorize", tokenUrl: "https://as.example/t/1?x=1" };

  it("make metadata requests unnecessary", async () => {
    const { server, as, url, ctx } = await startLoginSites();
    expect(await discoverProvider({ url, configured }, ctx)).toMatchObject({
      source: "config",
      issuer: "https://as.example/t/1",
      resource: url,
      metadata: { authorization_endpoint: configured.authorizationUrl, token_endpoint: configured.tokenUrl },
    });
    expect([...server.seen, ...as.seen]).toEqual([`GET ${PATH}`]);
  });

  it(
    "override the published endpoints, and the others stay as published",
    { meta: { covers: ["R2.58"] } },
    async () => {
      const { as, url, ctx } = await startLoginSites();
      const registrationUrl = "https://as.example/register";
      expect(await discoverProvider({ url, configured: { registrationUrl } }, ctx)).toMatchObject({
        source: "metadata",
        issuer: as.origin,
        metadata: { registration_endpoint: registrationUrl, token_endpoint: `${as.origin}/token` },
      });
    },
  );

  it("get an issuer of their own if the token endpoint is configured", { meta: { covers: ["S9"] } }, async () => {
    const { as, url, ctx } = await startLoginSites();
    expect(await discoverProvider({ url, configured: { tokenUrl: configured.tokenUrl } }, ctx)).toMatchObject({
      source: "metadata",
      issuer: "https://as.example/t/1",
      metadata: { issuer: as.origin, token_endpoint: configured.tokenUrl },
    });
  });

  it("must be safe URLs too", { meta: { covers: ["S10"] } }, async () => {
    const { url, ctx } = await startLoginSites();
    const unsafe = { ...configured, tokenUrl: "http://10.0.0.5/token" };
    expect(await expectHostError(discoverProvider({ url, configured: unsafe }, ctx))).toMatchObject({
      code: "LOGIN_UNSAFE",
    });
    const none = { ...configured, tokenUrl: "token" };
    expect(await expectHostError(discoverProvider({ url, configured: none }, ctx))).toMatchObject({
      code: "SERVER_INVALID",
    });
  });
});
