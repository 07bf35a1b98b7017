/** The ways to log in without a browser that comes back by itself, and what becomes of logins that no longer hold. */
import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isTokenRequest } from "@plugboard/testkit/authorization-server";
import { completeLogin } from "@plugboard/testkit/complete-login";
import { describe, expect, it } from "vitest";
import { waitForEvent } from "../../helpers/embedded-host.ts";
import {
  waitUntilIdle,
  createEarlierLogin,
  makeProtectedFixture,
  textOfResult,
  serverStatusOf,
  answeringUser,
  browsingUser,
  whoami,
} from "../../helpers/protected-fixture.ts";

describe("a server that wants a login", () => {
  it.each(["modern", "legacy"] as const)(
    "is logged in at when it is called, in the %s era",
    { meta: { covers: ["R2.55"] } },
    async (eras) => {
      const { host: open } = await makeProtectedFixture({ eras });
      const user = browsingUser();
      const host = await open(user.ports);
      expect(await whoami(host)).toMatchObject({ sub: "ada", scope: "mcp" });
      expect(serverStatusOf(host)).toMatchObject({ state: "ready", era: eras });
      expect(user.questions.map(({ step }) => step?.type)).toEqual([undefined, "browser"]);
      expect(user.openedUrls).toHaveLength(1);
    },
  );

  it(
    "has no page opened, nor a client registered, before the user agrees",
    { meta: { covers: ["R2.56"] } },
    async () => {
      const { as, host: open } = await makeProtectedFixture();
      const { asked, ports } = answeringUser(() => ({ type: "login", action: "cancel" }));
      const opened: string[] = [];
      const host = await open({ ...ports, openUrl: (url) => opened.push(url) });
      await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
      expect(asked).toMatchObject([{ reason: "first", server: "x" }]);
      expect([opened, as.requests.filter(({ method }) => method === "POST")]).toEqual([[], []]);
    },
  );

  it("knows the host by its document, where it is given one", async () => {
    const client_id = "https://plugboard.example/client.json";
    const document = {
      client_id,
      redirect_uris: ["http://127.0.0.1/callback"],
      application_type: "native",
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
    };
    const { as, server, home } = await makeProtectedFixture({ documents: { [client_id]: document } });
    const auth = { type: "oauth" as const, client_metadata_url: client_id };
    const host = await home.host({ servers: { x: { url: server.url, auth } }, ports: browsingUser().ports });
    await host.servers.login("x");
    expect(await whoami(host)).toMatchObject({ client_id });
    expect(as.requests.map(({ path }) => path)).not.toContain("/reg");
  });
});

describe("without a browser on this machine", () => {
  it("the address that the browser ended at can be pasted", { meta: { covers: ["R2.57"] } }, async () => {
    const { as, host: open } = await makeProtectedFixture();
    const { asked, ports } = answeringUser(async ({ step }) => {
      if (step?.type !== "browser") return { type: "login", action: "begin" };
      return { type: "login", action: "redirected", url: (await completeLogin(step.url)).url };
    });
    const host = await open(ports);
    expect(await host.servers.login("x")).toMatchObject({ state: "ready" });
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    expect(asked.at(-1)?.step).toMatchObject({ type: "browser", redirectUri: expect.stringContaining("127.0.0.1") });
    expect(as.tokenRequests()).toHaveLength(1);
  });

  it("a code is typed in elsewhere", async () => {
    const { as, server, host: open } = await makeProtectedFixture();
    const { asked, ports } = answeringUser(async ({ step }) => {
      if (step?.type !== "device") return { type: "login", action: "begin", method: "device" };
      expect((await completeLogin(step.url, { code: step.code })).text).toContain("Done");
      return undefined;
    });
    const host = await open(ports);
    expect(await host.servers.login("x", { method: "device" })).toMatchObject({
      state: "ready",
      login: { renewable: true },
    });
    expect(await whoami(host)).toMatchObject({ sub: "ada", scope: "mcp" });
    expect(asked.at(-1)?.step).toMatchObject({ type: "device" });
    expect(as.requests.find(({ path }) => path === "/device/auth")?.parameters).toMatchObject({ resource: server.url });
  });

  it("a client logs in for itself, by its secret or by its key", async () => {
    const { as, server, home } = await makeProtectedFixture();
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const machine = { redirect_uris: [], response_types: [], grant_types: ["client_credentials"], scope: "mcp" };
    as.addClient({ client_id: "by-secret", client_secret: "hush", ...machine });
    as.addClient({
      client_id: "by-key",
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_signing_alg: "ES256",
      jwks: { keys: [{ ...publicKey.export({ format: "jwk" }), alg: "ES256", use: "sig" }] },
      ...machine,
    });
    const private_key_file = join(home.cwd, "key.pem");
    await writeFile(private_key_file, privateKey.export({ format: "pem", type: "pkcs8" }));
    const type = "client_credentials" as const;
    const host = await home.host({
      servers: {
        "by-secret": { url: server.url, auth: { type, client_id: "by-secret", client_secret: "hush", scope: "mcp" } },
        "by-key": { url: server.url, auth: { type, client_id: "by-key", private_key_file, scope: "mcp" } },
      },
    });
    expect((await host.ready()).errors).toEqual({});
    const who = async (id: string) => JSON.parse(textOfResult(await host.tools.call(`${id}:whoami`, {}))) as unknown;
    for (const _ of ["first", "again"]) {
      expect(await who("by-secret")).toMatchObject({ client_id: "by-secret", scope: "mcp" });
      expect(await who("by-key")).toMatchObject({ client_id: "by-key", scope: "mcp" });
      as.revokeAccessTokens();
    }
    const requests = as.tokenRequests("client_credentials");
    expect(requests.map(({ parameters }) => parameters["resource"])).toEqual(Array(4).fill(server.url));
  });
});

describe("a token that is refused in the middle", () => {
  it("is renewed once, and the call made once more", { meta: { covers: ["F28"] } }, async () => {
    const { as, server, host: open } = await makeProtectedFixture();
    const host = await open(browsingUser().ports);
    await host.servers.login("x");
    await waitUntilIdle({ as, server });
    as.revokeAccessTokens();
    const before = server.requests.length;
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    expect(as.tokenRequests("refresh_token")).toHaveLength(1);
    const calls = server.requests.slice(before).filter(({ body }) => body.includes('"tools/call"'));
    expect(calls.map(({ response }) => response?.status)).toEqual([401, 200]);
    expect(new Set(calls.map(({ headers }) => headers.authorization)).size).toBe(2);
  });

  it("is renewed once only: what is refused again needs a login", { meta: { covers: ["F28"] } }, async () => {
    const world = await makeProtectedFixture();
    const { as, server } = world;
    await createEarlierLogin(world);
    const unattended = await world.host();
    const isCall = ({ body }: { readonly body: string }) => body.includes('"tools/call"');
    expect(await whoami(unattended)).toMatchObject({ sub: "ada" });
    await waitUntilIdle({ as, server }, 2);
    const refusal = { status: 401, headers: { "www-authenticate": 'Bearer error="invalid_token"' }, body: "{}" };
    const [first, second] = [server.injectFault(isCall, refusal), server.injectFault(isCall, refusal)];
    await expect(whoami(unattended)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    await Promise.all([first, second]);
    expect(as.tokenRequests("refresh_token")).toHaveLength(1);
    expect(server.requests.filter(isCall)).toHaveLength(3);
  });

  it("needs a login, and says so, when the grant is gone as well", { meta: { covers: ["F28"] } }, async () => {
    const world = await makeProtectedFixture();
    const { as } = world;
    await createEarlierLogin(world);
    const host = await world.host();
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    await waitUntilIdle(world, 2);
    as.revokeGrants();
    await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED", details: { server: "x" } });
    expect(await waitForEvent(host, "login.changed", ({ change }) => change === "expired")).toMatchObject({
      server: "x",
    });
    await waitForEvent(host, "server.changed", ({ state }) => state === "auth_required");
    expect(serverStatusOf(host)).toMatchObject({ state: "auth_required", lastError: { code: "AUTH_REQUIRED" } });
    expect(as.tokenRequests("refresh_token")).toHaveLength(1);
    await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    expect(as.tokenRequests("refresh_token")).toHaveLength(1);
  });

  it("has the user log in anew, and goes on then", { meta: { covers: ["R2.55"] } }, async () => {
    const world = await makeProtectedFixture();
    await createEarlierLogin(world);
    const user = browsingUser();
    const host = await world.host(user.ports);
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    await waitUntilIdle(world, 2);
    world.as.revokeGrants();
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    expect(user.questions.map(({ reason, step }) => [reason, step?.type])).toEqual([
      ["expired", undefined],
      ["expired", "browser"],
    ]);
    expect(user.openedUrls).toHaveLength(1);
  });

  it("has the user asked once, who may decline, and then waits for a login", async () => {
    const world = await makeProtectedFixture();
    await createEarlierLogin(world);
    const { asked, ports } = answeringUser(() => ({ type: "login", action: "cancel" }));
    const host = await world.host(ports);
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    await waitUntilIdle(world, 2);
    world.as.revokeGrants();
    await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    await waitForEvent(host, "server.changed", ({ state }) => state === "auth_required");
    await host.close();
    expect(asked).toMatchObject([{ reason: "expired" }]);
  });

  it("is renewed once for all calls that wait for it", async () => {
    const { as, server, host: open } = await makeProtectedFixture();
    const host = await open(browsingUser().ports);
    await host.servers.login("x");
    await waitUntilIdle({ as, server });
    as.revokeAccessTokens();
    const all = await Promise.all(Array.from({ length: 10 }, () => whoami(host)));
    expect(all).toEqual(Array(10).fill(expect.objectContaining({ sub: "ada" })));
    expect(as.tokenRequests("refresh_token")).toHaveLength(1);
  });

  it("is not given up for an authorization server that fails", async () => {
    const { as, server, host: open } = await makeProtectedFixture();
    const host = await open(browsingUser().ports);
    await host.servers.login("x");
    await waitUntilIdle({ as, server });
    as.revokeAccessTokens();
    void as.injectFault(isTokenRequest("refresh_token"), { status: 503, body: "{}" });
    const error = await whoami(host).catch((thrown: unknown) => thrown);
    expect(error).not.toMatchObject({ code: "AUTH_REQUIRED" });
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
  });
});

describe("a tool that needs more than was granted", () => {
  it("has the user asked for both, and is called then", async () => {
    const { as, host: open } = await makeProtectedFixture();
    const user = browsingUser();
    const host = await open(user.ports);
    await host.servers.login("x");
    expect(textOfResult(await host.tools.call("x:admin", {}))).toBe("as you wish");
    expect(user.questions.map(({ reason }) => reason)).toContain("scope");
    const scopes = as.requests.flatMap(({ path, parameters }) => (path === "/auth" ? [parameters["scope"]] : []));
    expect(scopes.at(-1)?.split(" ")).toEqual(expect.arrayContaining(["mcp", "admin"]));
    expect(await whoami(host)).toMatchObject({ scope: expect.stringContaining("admin") });
    expect(user.openedUrls).toHaveLength(2);
  });
});
