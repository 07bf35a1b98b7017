/** Tests the authorization server and the protected server with the official client. */
import { generateKeyPairSync } from "node:crypto";
import { ClientCredentialsProvider, PrivateKeyJwtProvider } from "@modelcontextprotocol/client";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  isTokenRequest,
  startAuthorizationServer,
} from "@plugboard/testkit/authorization-server";
import { openChromium } from "@plugboard/testkit/programs/chromium";
import { type ProtectedServer, startProtectedServer } from "@plugboard/testkit/protected-server";
import { startScriptedHttp } from "@plugboard/testkit/start-server";
import { completeLogin } from "@plugboard/testkit/complete-login";
import { afterEach, expect, it, vi } from "vitest";
import {
  connectClient,
  logInWithSdk as logInWith,
  MemoryOAuthProvider,
  MODERN,
  makeTransport,
  callWhoami,
} from "./helpers/official-login.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const resource of opened.splice(0).reverse()) await resource.close();
});

async function startServers(options?: AuthorizationServerOptions, eras?: "both" | "modern" | "legacy") {
  const as = await startAuthorizationServer(options);
  opened.push(as);
  const server = await startProtectedServer(as, eras && { eras });
  opened.push(server);
  return { as, server };
}

const logIn: typeof logInWith = async (...args) => {
  const login = await logInWith(...args);
  opened.push(login.client);
  return login;
};

function post(url: string, form: { [name: string]: string }): Promise<Response> {
  return fetch(url, { method: "POST", body: new URLSearchParams(form) });
}

function refresh(as: AuthorizationServer, { client, saved }: MemoryOAuthProvider): Promise<Response> {
  const form = { grant_type: "refresh_token", refresh_token: saved?.refresh_token ?? "" };
  return post(`${as.issuer}/token`, { ...form, client_id: client?.client_id ?? "" });
}

/** Sends an authorization request with the changed parameters, and returns the final redirect. Omits empty parameters. */
async function authorize(as: AuthorizationServer, server: ProtectedServer, changed: { [name: string]: string }) {
  as.addClient({
    client_id: "known",
    redirect_uris: ["http://127.0.0.1/callback"],
    application_type: "native",
    token_endpoint_auth_method: "none",
  });
  const challenge = { code_challenge: "x".repeat(43), code_challenge_method: "S256" };
  const defaults = {
    response_type: "code",
    client_id: "known",
    redirect_uri: "http://127.0.0.1:4711/callback",
    state: "s",
  };
  const parameters = { ...defaults, ...challenge, resource: server.url, scope: "mcp", ...changed };
  const nonEmpty = Object.entries(parameters).filter(([, value]) => value !== "");
  const { url } = await completeLogin(`${as.issuer}/auth?${new URLSearchParams(nonEmpty).toString()}`, {
    deny: "deny" in changed,
  });
  return new URL(url);
}

it.each([
  ["modern", MODERN],
  ["legacy", "legacy" as const],
])(
  "The authorization server lets the official client register, log in and call a tool in the %s era",
  async (era, mode) => {
    const { as, server } = await startServers({}, era as "modern");
    const { client, provider } = await logIn(server.url, mode);
    const client_id = provider.client?.client_id;
    expect(await callWhoami(client)).toEqual({ sub: "ada", client_id, scope: "mcp" });

    expect(as.validIds("Client")).toContain(client_id);
    const [exchanged] = as.tokenRequests("authorization_code");
    expect(exchanged?.parameters).toMatchObject({ code_verifier: expect.any(String), resource: server.url });
    expect(exchanged?.response).toMatchObject({ status: 200, body: expect.stringContaining("access_token") });
    expect(server.authorizations).toEqual([`Bearer ${provider.saved?.access_token}`]);
  },
);

it("The authorization server works with a real browser, and redirects it to the callback", async () => {
  const { as, server } = await startServers();
  const callback = await startScriptedHttp((_, response) => void response.end("<p>Welcome back</p>"));
  opened.push(callback);
  const chromium = await openChromium();
  opened.push(chromium);

  const provider = new MemoryOAuthProvider(callback.url);
  const first = makeTransport(server.url, provider);
  await connectClient(first).catch(() => {});
  const end = await chromium.login(provider.authorizationUrl?.href ?? "", { user: "grace" });
  expect(end.text).toBe("Welcome back");
  const redirectParameters = new URL(end.url).searchParams;
  expect(Object.fromEntries(redirectParameters)).toEqual({
    code: expect.any(String),
    state: "a-state",
    iss: as.issuer,
  });
  await first.finishAuth(redirectParameters);
  expect(await callWhoami(await connectClient(makeTransport(server.url, provider)))).toMatchObject({ sub: "grace" });
});

it("openChromium throws an error that names the package to install if there is no browser", async () => {
  vi.stubEnv("CHROMIUM", "/nowhere/chromium");
  await expect(openChromium()).rejects.toThrow(/no Chromium at \/nowhere\/chromium.*apt-get install chromium/);
});

it("The authorization server shows an error page for an interaction that has ended", async () => {
  const { as } = await startServers();
  expect((await fetch(`${as.issuer}/interaction/gone`)).status).toBe(500);
});

it("completeLogin visits the callback URL, like a browser, if its option is set", async () => {
  const { as, server } = await startServers();
  const callback = await startScriptedHttp((_, response) => void response.end("<p>Welcome back</p>"));
  opened.push(callback);
  const provider = new MemoryOAuthProvider(callback.url);
  await connectClient(makeTransport(server.url, provider)).catch(() => {});
  const end = await completeLogin(provider.authorizationUrl?.href ?? "", { callback: "visit" });
  expect(end).toEqual({ url: expect.stringContaining(`iss=${encodeURIComponent(as.issuer)}`), text: "Welcome back" });
  expect(callback.requests).toHaveLength(1);
});

it.each([
  ["a missing code challenge", { code_challenge: "", code_challenge_method: "" }, "invalid_request"],
  ["the plain PKCE method", { code_challenge_method: "plain" }, "invalid_request"],
  ["an unknown resource", { resource: "http://127.0.0.1:1/mcp" }, "invalid_target"],
  ["a login that the user denies", { deny: "" }, "access_denied"],
])("The authorization server rejects %s and names itself as the issuer", async (_, changed, error) => {
  const { as, server } = await startServers();
  const end = await authorize(as, server, changed);
  expect(Object.fromEntries(end.searchParams)).toMatchObject({ error, iss: as.issuer, state: "s" });
});

it("The authorization server accepts any loopback port of a native client", async () => {
  const { as, server } = await startServers();
  const end = await authorize(as, server, {});
  expect(end.origin).toBe("http://127.0.0.1:4711");
  expect(end.searchParams.get("code")).toBe(as.validIds("AuthorizationCode")[0]);
});

it("The protected server names its authorization server and scopes", async () => {
  const { as, server } = await startServers();
  const { origin } = new URL(server.url);
  const refused = await fetch(server.url, { method: "POST" });
  expect(refused.status).toBe(401);
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
  expect(refused.headers.get("www-authenticate")).toContain(`scope="mcp", resource_metadata="${metadata}"`);
  expect(await (await fetch(metadata)).json()).toMatchObject({
    resource: server.url,
    authorization_servers: [as.issuer],
    scopes_supported: ["mcp", "admin"],
  });
  expect((await fetch(`${origin}/.well-known/oauth-authorization-server`)).status).toBe(404);
  for (const name of ["oauth-authorization-server", "openid-configuration"]) {
    expect(await (await fetch(`${as.issuer}/.well-known/${name}`)).json()).toMatchObject({
      issuer: as.issuer,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
      registration_endpoint: expect.any(String),
      revocation_endpoint: expect.any(String),
      device_authorization_endpoint: expect.any(String),
    });
  }
});

it("The protected server names the scope that a tool needs", async () => {
  const { server } = await startServers();
  const { client, provider } = await logIn(server.url);
  await client.callTool({ name: "admin" }).catch(() => {});
  const refused = server.requests.find(({ response }) => response?.status === 403);
  expect(refused?.response?.headers?.["www-authenticate"]).toMatch(/error="insufficient_scope".*scope="admin"/);
  expect(provider.authorizationUrl?.searchParams.get("scope")).toContain("admin");
});

it("The authorization server rotates refresh tokens and ends the grant when an old one is reused", async () => {
  const { as, server } = await startServers();
  const { provider } = await logIn(server.url);
  const rotated = (await (await refresh(as, provider)).json()) as { refresh_token: string };
  expect(as.validIds("RefreshToken")).toEqual([rotated.refresh_token]);
  expect(rotated.refresh_token).not.toBe(provider.saved?.refresh_token);

  expect(await (await refresh(as, provider)).json()).toMatchObject({ error: "invalid_grant" });
  expect(as.validIds("RefreshToken")).toEqual([]);
  expect(as.tokenRequests("refresh_token")).toHaveLength(2);
});

it("The authorization server refreshes an expired token while the grant is valid", async () => {
  const { as, server } = await startServers();
  const { client, provider } = await logIn(server.url, MODERN);
  as.revokeAccessTokens();
  expect(await callWhoami(client)).toMatchObject({ sub: "ada" });
  expect(as.tokenRequests("refresh_token")).toHaveLength(1);

  as.revokeGrants();
  await expect(callWhoami(client)).rejects.toThrow();
  expect((await refresh(as, provider)).status).toBe(400);
});

it("The authorization server revokes a token for its client", async () => {
  const { as, server } = await startServers();
  const { provider } = await logIn(server.url);
  const client_id = provider.client?.client_id ?? "";
  await post(`${as.issuer}/token/revocation`, { token: provider.saved?.refresh_token ?? "", client_id });
  expect([as.validIds("RefreshToken"), as.validIds("AccessToken")]).toEqual([[], []]);
});

it("The authorization server issues tokens with the configured lifetime", async () => {
  const { as, server } = await startServers({ accessTokenSeconds: 7 });
  const { provider } = await logIn(server.url);
  expect(provider.saved?.expires_in).toBe(7);
  as.lifetimes.accessTokenSeconds = 8;
  expect(await (await refresh(as, provider)).json()).toMatchObject({ expires_in: 8 });
});

it("The protected server accepts signed tokens for its own resource only", async () => {
  const { as, server } = await startServers({ format: "jwt" });
  const other = await startProtectedServer(as);
  opened.push(other);
  const { client, provider } = await logIn(server.url);
  expect(provider.saved?.access_token.split(".")).toHaveLength(3);
  expect(await callWhoami(client)).toMatchObject({ sub: "ada" });
  const headers = { authorization: `Bearer ${provider.saved?.access_token}` };
  expect((await fetch(other.url, { method: "POST", headers })).status).toBe(401);
  const [head, payload] = provider.saved?.access_token.split(".") ?? [];
  const forged = { authorization: `Bearer ${head}.${payload}.${"A".repeat(342)}` };
  expect((await fetch(server.url, { method: "POST", headers: forged })).status).toBe(401);
});

it("The authorization server accepts a client metadata document without contacting its URL", async () => {
  const document = "https://plugboard.example/client.json";
  const provider = new MemoryOAuthProvider(undefined, document);
  const { as, server } = await startServers({
    documents: { [document]: { client_id: document, ...provider.clientMetadata } },
  });
  const { client } = await logIn(server.url, "legacy", provider);
  expect(await callWhoami(client)).toMatchObject({ client_id: document });
  expect(as.requests.map(({ path }) => path)).not.toContain("/reg");
});

it("The authorization server issues a secret to clients that need one", async () => {
  const { as } = await startServers({ publicClients: false });
  const register = (method: string) => {
    const metadata = { ...new MemoryOAuthProvider().clientMetadata, token_endpoint_auth_method: method };
    const headers = { "content-type": "application/json" };
    return fetch(`${as.issuer}/reg`, { method: "POST", headers, body: JSON.stringify(metadata) });
  };
  expect((await register("none")).status).toBe(400);
  expect(await (await register("client_secret_basic")).json()).toMatchObject({ client_secret: expect.any(String) });
});

it("The authorization server supports the device login", async () => {
  const { as, server } = await startServers();
  const device_code = "urn:ietf:params:oauth:grant-type:device_code";
  as.addClient({
    client_id: "device",
    redirect_uris: [],
    response_types: [],
    application_type: "native",
    token_endpoint_auth_method: "none",
    grant_types: [device_code, "refresh_token"],
  });
  const deviceRequest = { client_id: "device", scope: "mcp", resource: server.url };
  const begun = (await (await post(`${as.issuer}/device/auth`, deviceRequest)).json()) as { [name: string]: string };
  const poll = async () => {
    const form = { grant_type: device_code, client_id: "device", device_code: begun["device_code"] ?? "" };
    return (await post(`${as.issuer}/token`, { ...form, resource: server.url })).json();
  };
  expect(await poll()).toMatchObject({ error: "authorization_pending" });
  const end = await completeLogin(begun["verification_uri"] ?? "", { code: begun["user_code"] ?? "" });
  expect(end.text).toContain("Done");
  expect(await poll()).toMatchObject({ access_token: expect.any(String), refresh_token: expect.any(String) });
});

it("The authorization server supports client credentials with a secret and with a key", async () => {
  const { as, server } = await startServers();
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const machine = { redirect_uris: [], response_types: [], grant_types: ["client_credentials"], scope: "mcp" };
  as.addClient({ client_id: "by-secret", client_secret: "hush", ...machine });
  as.addClient({
    client_id: "by-key",
    token_endpoint_auth_method: "private_key_jwt",
    jwks: { keys: [{ ...publicKey.export({ format: "jwk" }), alg: "RS256", use: "sig" }] },
    ...machine,
  });
  const key = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  for (const provider of [
    new ClientCredentialsProvider({
      clientId: "by-secret",
      clientSecret: "hush",
      scope: "mcp",
      expectedIssuer: as.issuer,
    }),
    new PrivateKeyJwtProvider({
      clientId: "by-key",
      privateKey: key,
      algorithm: "RS256",
      scope: "mcp",
      expectedIssuer: as.issuer,
    }),
  ]) {
    const client = await connectClient(makeTransport(server.url, provider));
    opened.push(client);
    expect(await callWhoami(client)).toMatchObject({ client_id: provider.clientInformation()?.client_id });
  }
});

it("The authorization server can delay a request", async () => {
  const { as, server } = await startServers();
  const { provider } = await logIn(server.url);
  const both = server.answered(({ response }) => response?.status === 401, 2);
  const held = as.injectFault(isTokenRequest("refresh_token"), { until: both });
  const refreshed = refresh(as, provider);
  expect((await held).response).toBeUndefined();
  await Promise.all([fetch(server.url), fetch(`${as.issuer}/jwks`)]);
  expect((await held).response).toBeUndefined();
  await fetch(server.url);
  expect((await refreshed).status).toBe(200);
});

it("The authorization server can make a request fail once", async () => {
  const { as, server } = await startServers();
  const { provider } = await logIn(server.url);

  void as.injectFault(isTokenRequest("refresh_token"), { status: 500, body: "{}" });
  expect((await refresh(as, provider)).status).toBe(500);
  void as.injectFault(isTokenRequest("refresh_token"), "reset");
  await expect(refresh(as, provider)).rejects.toThrow();
  const [before] = as.validIds("RefreshToken");
  expect(before).toBe(provider.saved?.refresh_token);

  const lost = as.injectFault(isTokenRequest("refresh_token"), "lose");
  const request = refresh(as, provider).catch(() => "cut");
  expect((await lost).response?.status).toBe(200);
  expect(as.validIds("RefreshToken")).not.toContain(before);
  const hung = as.injectFault(isTokenRequest("refresh_token"), "hang");
  const other = refresh(as, provider).catch(() => "cut");
  expect((await hung).response).toBeUndefined();
  await as.close();
  expect(await Promise.all([request, other])).toEqual(["cut", "cut"]);
  opened.splice(opened.indexOf(as), 1);
});
