/** Tests logins with extensions of OAuth: DPoP tokens, JWT assertions, and grants of an identity provider. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { type AuthorizationServer, isTokenRequest } from "@plugboard/testkit/authorization-server";
import type { ProtectedServer } from "@plugboard/testkit/protected-server";
import { type RecordedResponse, type RecordedRequest, startRecordingHttp } from "@plugboard/testkit/recording-http";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitForEvent } from "../../helpers/embedded-host.ts";
import {
  waitUntilIdle,
  createEarlierLogin,
  makeProtectedFixture,
  type ProtectedFixture,
  browsingUser,
  whoami,
} from "../../helpers/auth/protected-fixture.ts";
import { resultText } from "../../helpers/test-project.ts";

const isCall = ({ body }: RecordedRequest) => body.includes('"tools/call"');

describe("a DPoP login", () => {
  it.each([
    ["without", true],
    ["with", "nonce"],
  ] as const)("sends a new DPoP proof with each request, %s a nonce", async (_, dpop) => {
    const fixture = await makeProtectedFixture({ dpop });
    await createEarlierLogin(fixture);
    const later = await fixture.host();
    expect(await whoami(later)).toMatchObject({ sub: "ada" });
    expect(fixture.as.tokenRequests("authorization_code").at(-1)?.response?.status).toBe(200);
    expectDpopRequests(fixture);
    expect(dpopKeysUsed(fixture)).toHaveLength(1);
  });

  it("refreshes its tokens with the same key", async () => {
    const fixture = await makeProtectedFixture({ dpop: "nonce" });
    const host = await fixture.host(browsingUser().ports);
    await host.servers.login("x");
    await waitUntilIdle(fixture);
    fixture.as.revokeAccessTokens();
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    expect(fixture.as.tokenRequests("refresh_token").map(({ response }) => response?.status)).toContain(200);
    expectDpopRequests(fixture);
    expect(dpopKeysUsed(fixture)).toHaveLength(1);
  });

  it("expires when the refresh returns a token that is not bound to a key", async () => {
    const fixture = await makeProtectedFixture({ dpop: true });
    await createEarlierLogin(fixture);
    fixture.as.revokeAccessTokens();
    const body = JSON.stringify({ access_token: "plain", refresh_token: "next", token_type: "Bearer" });
    void fixture.as.injectFault(isTokenRequest("refresh_token"), { status: 200, body });
    const host = await fixture.host();
    await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    expect(await waitForEvent(host, "login.changed")).toMatchObject({ change: "expired" });
    expectDpopRequests(fixture);
  });

  it("repeats a request with a new nonce and uses that nonce from then on", async () => {
    const fixture = await makeProtectedFixture({ dpop: "nonce" });
    await createEarlierLogin(fixture);
    const host = await fixture.host();
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    await waitUntilIdle(fixture, 2);
    fixture.server.changeNonce();
    const before = fixture.server.requests.length;
    const all = await Promise.all([whoami(host), whoami(host), whoami(host)]);
    expect(all).toEqual(Array(3).fill(expect.objectContaining({ sub: "ada" })));
    const refused = () =>
      fixture.server.requests.slice(before).filter(({ response }) => response?.status === 401).length;
    const refusedAtFirst = refused();
    expect(refusedAtFirst).toBeGreaterThan(0);
    await whoami(host);
    expect(refused()).toBe(refusedAtFirst);
    expect(fixture.as.tokenRequests("refresh_token")).toEqual([]);
  });

  it("repeats a request only once, even if the server demands another nonce", async () => {
    const fixture = await makeProtectedFixture({ dpop: true });
    await createEarlierLogin(fixture);
    const host = await fixture.host();
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    await waitUntilIdle(fixture, 2);
    const before = fixture.server.requests.filter(isCall).length;
    for (const nonce of ["one", "two"]) void fixture.server.injectFault(isCall, nonceChallenge(nonce));
    await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    expect(fixture.server.requests.filter(isCall)).toHaveLength(before + 2);
  });

  it("refreshes its token when the server demands the same nonce that the request already had", async () => {
    const fixture = await makeProtectedFixture({ dpop: "nonce" });
    const host = await fixture.host(browsingUser().ports);
    await host.servers.login("x");
    await waitUntilIdle(fixture);
    void fixture.server.injectFault(isCall, ({ headers }) => nonceChallenge(String(proofClaims(headers)["nonce"])));
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    expect(fixture.as.tokenRequests("refresh_token").map(({ response }) => response?.status)).toContain(200);
  });

  it("works with client credentials and rejects a token that is not bound to a key", async () => {
    const fixture = await makeProtectedFixture({ dpop: "nonce" });
    const { as, server, home } = fixture;
    const machine = { redirect_uris: [], response_types: [], grant_types: ["client_credentials"], scope: "mcp" };
    as.addClient({ client_id: "me", client_secret: "hush", ...machine });
    const auth = { type: "client_credentials" as const, client_id: "me", client_secret: "hush", scope: "mcp" };
    const host = await home.host({ servers: { x: { url: server.url, auth } } });
    for (const _ of ["first", "again"]) {
      expect(JSON.parse(resultText(await host.tools.call("x:whoami", {})))).toMatchObject({ client_id: "me" });
      as.revokeAccessTokens();
    }
    expect(dpopKeysUsed(fixture)).toHaveLength(2);
    void as.injectFault(isTokenRequest(), { status: 200, body: '{"access_token":"plain","token_type":"Bearer"}' });
    await expect(host.tools.call("x:whoami", {})).rejects.toMatchObject({ code: "LOGIN_FAILED" });
    expectDpopRequests(fixture);
  });
});

describe("a login with a JWT assertion from a file", () => {
  const auth = { type: "client_credentials", client_id: "me", assertion_file: "jwt" } as const;

  it("reads the assertion from the file before each token request", async () => {
    const { as, server, home } = await makeProtectedFixture();
    await writeFile(join(home.cwd, "jwt"), "first\n");
    void as.injectFault(isTokenRequest(JWT_BEARER), await obtainTokenResponse(as, server));
    const host = await home.host({ servers: { x: { url: server.url, auth } } });
    expect(await whoami(host)).toMatchObject({ client_id: "issuing" });
    as.revokeAccessTokens();
    await writeFile(join(home.cwd, "jwt"), "second\n");
    void as.injectFault(isTokenRequest(JWT_BEARER), await obtainTokenResponse(as, server));
    expect(await whoami(host)).toMatchObject({ client_id: "issuing" });
    const asked = as.tokenRequests(JWT_BEARER).map(({ parameters }) => parameters);
    expect(asked).toMatchObject([
      { assertion: "first", client_id: "me", resource: server.url },
      { assertion: "second" },
    ]);
  });

  it.each([
    ["is refused", "old"],
    ["is missing", undefined],
  ])("waits until the file changes if the assertion %s", async (_, content) => {
    const { as, server, home } = await makeProtectedFixture();
    const refusal = { status: 400, body: '{"error":"invalid_grant","error_description":"it has expired"}' };
    if (content !== undefined) {
      await writeFile(join(home.cwd, "jwt"), content);
      void as.injectFault(isTokenRequest(JWT_BEARER), refusal);
    }
    const host = await home.host({ servers: { x: { url: server.url, auth } } });
    expect((await host.ready()).errors["x"]).toMatchObject({ code: "AUTH_REQUIRED", details: { configured: true } });
    expect(as.tokenRequests(JWT_BEARER)).toHaveLength(content === undefined ? 0 : 1);
    void as.injectFault(isTokenRequest(JWT_BEARER), await obtainTokenResponse(as, server));
    const ready = waitForEvent(host, "server.changed", ({ state }) => state === "ready");
    await writeFile(join(home.cwd, "jwt"), "new");
    await ready;
    expect(as.tokenRequests(JWT_BEARER).at(-1)?.parameters).toMatchObject({ assertion: "new" });
  });
});

describe("an enterprise login", () => {
  const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

  /** Starts an identity provider that answers each token request with `answer`. */
  async function makeEnterpriseFixture(answer: (idToken: string | undefined) => RecordedResponse) {
    const fixture = await makeProtectedFixture();
    let idp_token_url = "";
    const idp = await startRecordingHttp((origin) => {
      idp_token_url = `${origin}/token`;
      return async (_, response, { parameters }) => {
        const { status, body } = answer(parameters["subject_token"]);
        response.writeHead(status, { "content-type": "application/json" }).end(body);
      };
    });
    onTestFinished(() => idp.close());
    const auth = {
      type: "enterprise",
      client_id: "me",
      client_secret: "hush",
      idp_token_url,
      idp_client_id: "me there",
      idp_client_secret: "hush there",
      id_token_file: "id",
    } as const;
    const idTokenFile = join(fixture.home.cwd, "id");
    return {
      ...fixture,
      idp,
      idTokenFile,
      open: () => fixture.home.host({ servers: { x: { url: fixture.server.url, auth } } }),
    };
  }

  it("exchanges the ID token for a grant that is valid only at the MCP server", async () => {
    const { as, server, idp, idTokenFile, open } = await makeEnterpriseFixture(() => ({
      status: 200,
      body: '{"access_token":"the.grant","issued_token_type":"urn:ietf:params:oauth:token-type:id-jag","token_type":"N_A"}',
    }));
    await writeFile(idTokenFile, "id.of.ada");
    void as.injectFault(isTokenRequest(JWT_BEARER), await obtainTokenResponse(as, server));
    const host = await open();
    expect(await whoami(host)).toMatchObject({ client_id: "issuing" });
    expect(idp.requests.map(({ parameters }) => parameters)).toMatchObject([
      { grant_type: EXCHANGE, subject_token: "id.of.ada", audience: as.issuer, resource: server.url },
    ]);
    const [asked] = as.tokenRequests(JWT_BEARER);
    expect(asked?.parameters).toMatchObject({ assertion: "the.grant", resource: server.url });
    expect(asked?.headers.authorization).toBe(`Basic ${btoa("me:hush")}`);
    expect(idp.requests[0]?.headers.authorization).toBe(`Basic ${btoa("me+there:hush+there")}`);
    await expect(host.servers.login("x")).rejects.toMatchObject({ code: "USAGE" });
  });

  it("waits until the ID token changes after the identity provider refuses it, and does not leak it", async () => {
    const { as, idp, idTokenFile, open } = await makeEnterpriseFixture((idToken) => ({
      status: 400,
      body: JSON.stringify({ error: "invalid_grant", error_description: `${idToken} has expired` }),
    }));
    await writeFile(idTokenFile, "id.of.ada");
    const host = await open();
    const { errors } = await host.ready();
    expect(errors["x"]).toMatchObject({ code: "AUTH_REQUIRED", details: { configured: true } });
    expect(inspect([errors, host.status()], { depth: null })).not.toContain("id.of.ada");
    const nextAnswer = idp.answered(() => true);
    await writeFile(idTokenFile, "id.of.bob");
    await nextAnswer;
    expect(idp.requests.map(({ parameters }) => parameters["subject_token"])).toEqual(["id.of.ada", "id.of.bob"]);
    expect(as.tokenRequests()).toEqual([]);
  });
});

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/**
 * Returns a token response for the JWT bearer grant. This authorization server does not support that grant, so it gives
 * the token by its client credentials grant.
 */
async function obtainTokenResponse(as: AuthorizationServer, server: ProtectedServer): Promise<RecordedResponse> {
  as.addClient({
    client_id: "issuing",
    client_secret: "hush",
    redirect_uris: [],
    response_types: [],
    grant_types: ["client_credentials"],
    scope: "mcp",
  });
  const response = await fetch(`${as.issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("issuing:hush")}` },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "mcp", resource: server.url }),
  });
  return { status: 200, body: await response.text() };
}

/** Expects that each request had a DPoP token and a new proof. */
function expectDpopRequests({ server }: ProtectedFixture): void {
  expect(server.authorizations.map((authorization) => authorization.split(" ")[0])).toEqual(
    server.authorizations.map(() => "DPoP"),
  );
  const proofs = server.requests.flatMap(({ headers }) => headers["dpop"] ?? []);
  expect(new Set(proofs).size).toBe(proofs.length);
  expect(proofs.length).toBeGreaterThan(1);
}

function dpopKeysUsed({ server }: ProtectedFixture): string[] {
  const keys = server.requests.flatMap(({ headers }) =>
    "dpop" in headers ? JSON.stringify(proofPart(headers, 0)["jwk"]) : [],
  );
  return [...new Set(keys)];
}

function nonceChallenge(nonce: string) {
  return {
    status: 401,
    headers: { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": nonce },
    body: "{}",
  };
}

function proofClaims(headers: RecordedRequest["headers"]) {
  return proofPart(headers, 1);
}

function proofPart({ dpop }: RecordedRequest["headers"], index: number): { readonly [name: string]: unknown } {
  const part = String(dpop).split(".")[index] ?? "";
  return JSON.parse(Buffer.from(part, "base64url").toString()) as { [name: string]: unknown };
}
