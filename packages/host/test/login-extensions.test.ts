/** Logins as extensions of the protocol have them: bound to a key, or by what somebody else has signed. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { type AuthorizationServer, isTokenRequest } from "@plugboard/testkit/authorization-server";
import type { ProtectedServer } from "@plugboard/testkit/protected-server";
import { type Answer, type RecordedRequest, startRecordingHttp } from "@plugboard/testkit/recording-http";
import { describe, expect, it, onTestFinished } from "vitest";
import { fact } from "./embedded-host.ts";
import { atRest, logInBefore, makeProtected, type Protected, said, userWith, whoami } from "./protected.ts";

const isCall = ({ body }: RecordedRequest) => body.includes('"tools/call"');

describe("a login that is bound to a key", () => {
  it.each([true, "nonce"] as const)("is shown with another proof by each request (%s)", async (dpop) => {
    const world = await makeProtected({ dpop });
    await logInBefore(world);
    const later = await world.host();
    expect(await whoami(later)).toMatchObject({ sub: "ada" });
    expect(world.as.tokenRequests("authorization_code").at(-1)?.answer?.status).toBe(200);
    expectBound(world);
    expect(keysAt(world)).toHaveLength(1);
  });

  it("is renewed with the same key", async () => {
    const world = await makeProtected({ dpop: "nonce" });
    const host = await world.host(userWith().ports);
    await host.login("x");
    await atRest(world);
    world.as.revokeAccessTokens();
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    expect(world.as.tokenRequests("refresh_token").map(({ answer }) => answer?.status)).toContain(200);
    expectBound(world);
    expect(keysAt(world)).toHaveLength(1);
  });

  it("ends when it would be renewed to one that is not", async () => {
    const world = await makeProtected({ dpop: true });
    await logInBefore(world);
    world.as.revokeAccessTokens();
    const body = JSON.stringify({ access_token: "plain", refresh_token: "next", token_type: "Bearer" });
    void world.as.fault(isTokenRequest("refresh_token"), { status: 200, body });
    const host = await world.host();
    await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    expect(await fact(host, "login.changed")).toMatchObject({ change: "expired" });
    expectBound(world);
  });

  it("is shown with the nonce that the server wants to see by now", async () => {
    const world = await makeProtected({ dpop: "nonce" });
    await logInBefore(world);
    const host = await world.host();
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    await atRest(world, 2);
    world.server.changeNonce();
    const before = world.server.requests.length;
    const all = await Promise.all([whoami(host), whoami(host), whoami(host)]);
    expect(all).toEqual(Array(3).fill(expect.objectContaining({ sub: "ada" })));
    const refused = () => world.server.requests.slice(before).filter(({ answer }) => answer?.status === 401).length;
    const once = refused();
    expect(once).toBeGreaterThan(0);
    await whoami(host);
    expect(refused()).toBe(once);
    expect(world.as.tokenRequests("refresh_token")).toEqual([]);
  });

  it("is shown once more for a nonce, and not again", async () => {
    const world = await makeProtected({ dpop: true });
    await logInBefore(world);
    const host = await world.host();
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    await atRest(world, 2);
    const before = world.server.requests.filter(isCall).length;
    for (const nonce of ["one", "two"]) void world.server.fault(isCall, wantsNonce(nonce));
    await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    expect(world.server.requests.filter(isCall)).toHaveLength(before + 2);
  });

  it("is renewed when the nonce that the server wants to see was there", async () => {
    const world = await makeProtected({ dpop: "nonce" });
    const host = await world.host(userWith().ports);
    await host.login("x");
    await atRest(world);
    void world.server.fault(isCall, ({ headers }) => wantsNonce(String(claimsIn(headers)["nonce"])));
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    expect(world.as.tokenRequests("refresh_token").map(({ answer }) => answer?.status)).toContain(200);
  });

  it("may be a program's own", async () => {
    const world = await makeProtected({ dpop: "nonce" });
    const { as, server, home } = world;
    const machine = { redirect_uris: [], response_types: [], grant_types: ["client_credentials"], scope: "mcp" };
    as.addClient({ client_id: "me", client_secret: "hush", ...machine });
    const auth = { type: "client_credentials" as const, client_id: "me", client_secret: "hush", scope: "mcp" };
    const host = await home.host({ servers: { x: { url: server.url, auth } } });
    for (const _ of ["first", "again"]) {
      expect(JSON.parse(said(await host.tools.call("x:whoami", {})))).toMatchObject({ client_id: "me" });
      as.revokeAccessTokens();
    }
    expect(keysAt(world)).toHaveLength(2);
    void as.fault(isTokenRequest(), { status: 200, body: '{"access_token":"plain","token_type":"Bearer"}' });
    await expect(host.tools.call("x:whoami", {})).rejects.toMatchObject({ code: "LOGIN_FAILED" });
    expectBound(world);
  });
});

describe("a login by what somebody else has signed", () => {
  const auth = { type: "client_credentials", client_id: "me", assertion_file: "jwt" } as const;

  it("is made with what is in the file by then", async () => {
    const { as, server, home } = await makeProtected();
    await writeFile(join(home.cwd, "jwt"), "first\n");
    void as.fault(isTokenRequest(JWT_BEARER), await granting(as, server));
    const host = await home.host({ servers: { x: { url: server.url, auth } } });
    expect(await whoami(host)).toMatchObject({ client_id: "issuing" });
    as.revokeAccessTokens();
    await writeFile(join(home.cwd, "jwt"), "second\n");
    void as.fault(isTokenRequest(JWT_BEARER), await granting(as, server));
    expect(await whoami(host)).toMatchObject({ client_id: "issuing" });
    const asked = as.tokenRequests(JWT_BEARER).map(({ parameters }) => parameters);
    expect(asked).toMatchObject([
      { assertion: "first", client_id: "me", resource: server.url },
      { assertion: "second" },
    ]);
  });

  it.each([
    ["is refused", "old"],
    ["is not there", undefined],
  ])("waits for the file to change when it %s, and is not tried again before", async (_, content) => {
    const { as, server, home } = await makeProtected();
    const refusal = { status: 400, body: '{"error":"invalid_grant","error_description":"it has expired"}' };
    if (content !== undefined) {
      await writeFile(join(home.cwd, "jwt"), content);
      void as.fault(isTokenRequest(JWT_BEARER), refusal);
    }
    const host = await home.host({ servers: { x: { url: server.url, auth } } });
    expect((await host.ready()).errors["x"]).toMatchObject({ code: "AUTH_REQUIRED", details: { configured: true } });
    expect(as.tokenRequests(JWT_BEARER)).toHaveLength(content === undefined ? 0 : 1);
    void as.fault(isTokenRequest(JWT_BEARER), await granting(as, server));
    const ready = fact(host, "server.changed", ({ state }) => state === "ready");
    await writeFile(join(home.cwd, "jwt"), "new");
    await ready;
    expect(as.tokenRequests(JWT_BEARER).at(-1)?.parameters).toMatchObject({ assertion: "new" });
  });
});

describe("a login that an organisation vouches for", () => {
  const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

  async function organisation(answer: (idToken: string | undefined) => Answer) {
    const world = await makeProtected();
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
    const idTokenFile = join(world.home.cwd, "id");
    return {
      ...world,
      idp,
      idTokenFile,
      open: () => world.home.host({ servers: { x: { url: world.server.url, auth } } }),
    };
  }

  it("is made with the grant of its identity provider, which is for that server alone", async () => {
    const { as, server, idp, idTokenFile, open } = await organisation(() => ({
      status: 200,
      body: '{"access_token":"the.grant","issued_token_type":"urn:ietf:params:oauth:token-type:id-jag","token_type":"N_A"}',
    }));
    await writeFile(idTokenFile, "id.of.ada");
    void as.fault(isTokenRequest(JWT_BEARER), await granting(as, server));
    const host = await open();
    expect(await whoami(host)).toMatchObject({ client_id: "issuing" });
    expect(idp.requests.map(({ parameters }) => parameters)).toMatchObject([
      { grant_type: EXCHANGE, subject_token: "id.of.ada", audience: as.issuer, resource: server.url },
    ]);
    const [asked] = as.tokenRequests(JWT_BEARER);
    expect(asked?.parameters).toMatchObject({ assertion: "the.grant", resource: server.url });
    expect(asked?.headers.authorization).toBe(`Basic ${btoa("me:hush")}`);
    expect(idp.requests[0]?.headers.authorization).toBe(`Basic ${btoa("me+there:hush+there")}`);
    await expect(host.login("x")).rejects.toMatchObject({ code: "USAGE" });
  });

  it("waits for another ID token when that is refused, and tells nothing of it", async () => {
    const { as, idp, idTokenFile, open } = await organisation((idToken) => ({
      status: 400,
      body: JSON.stringify({ error: "invalid_grant", error_description: `${idToken} has expired` }),
    }));
    await writeFile(idTokenFile, "id.of.ada");
    const host = await open();
    const { errors } = await host.ready();
    expect(errors["x"]).toMatchObject({ code: "AUTH_REQUIRED", details: { configured: true } });
    expect(inspect([errors, host.status()], { depth: null })).not.toContain("id.of.ada");
    const again = idp.answered(() => true);
    await writeFile(idTokenFile, "id.of.bob");
    await again;
    expect(idp.requests.map(({ parameters }) => parameters["subject_token"])).toEqual(["id.of.ada", "id.of.bob"]);
    expect(as.tokenRequests()).toEqual([]);
  });
});

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** What it would answer if it knew that grant: a token of its own. */
async function granting(as: AuthorizationServer, server: ProtectedServer): Promise<Answer> {
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

/** Nothing was shown in another way, and no proof twice. */
function expectBound({ server }: Protected): void {
  expect(server.authorizations.map((one) => one.split(" ")[0])).toEqual(server.authorizations.map(() => "DPoP"));
  const proofs = server.requests.flatMap(({ headers }) => headers["dpop"] ?? []);
  expect(new Set(proofs).size).toBe(proofs.length);
  expect(proofs.length).toBeGreaterThan(1);
}

function keysAt({ server }: Protected): string[] {
  const keys = server.requests.flatMap(({ headers }) =>
    "dpop" in headers ? JSON.stringify(partOf(headers, 0)["jwk"]) : [],
  );
  return [...new Set(keys)];
}

function wantsNonce(nonce: string) {
  return {
    status: 401,
    headers: { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": nonce },
    body: "{}",
  };
}

function claimsIn(headers: RecordedRequest["headers"]) {
  return partOf(headers, 1);
}

function partOf({ dpop }: RecordedRequest["headers"], index: number): { readonly [name: string]: unknown } {
  const part = String(dpop).split(".")[index] ?? "";
  return JSON.parse(Buffer.from(part, "base64url").toString()) as { [name: string]: unknown };
}
