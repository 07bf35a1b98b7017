/** Tests a login with a real browser, MCP server and authorization server. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isTokenRequest } from "@plugboard/testkit/authorization-server";
import { openChromium, type Chromium } from "@plugboard/testkit/programs/chromium";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  waitUntilIdle,
  browserWithoutPrompts,
  createEarlierLogin,
  makeProtectedFixture,
  serverStatusOf,
  browsingUser,
  whoami,
} from "../../helpers/auth/protected-fixture.ts";

let chromium: Chromium;
beforeAll(async () => void (chromium = await openChromium()));
afterAll(() => chromium.close());

it(
  "a host logs in with a browser and calls a tool with the token",
  { meta: { covers: ["R2.5", "R2.57", "R2.58", "R2.152", "R2.153", "R2.159", "R2.164", "R3.3", "R3.90"] } },
  async () => {
    const { as, server, host: open } = await makeProtectedFixture({ format: "jwt" });
    const user = browsingUser((url) => chromium.login(url, { user: "grace" }));
    const host = await open(user.ports);

    expect(await host.servers.login("x")).toMatchObject({
      state: "ready",
      login: { issuer: as.issuer, user: "grace", scope: "mcp", renewable: true },
    });
    const { url, text } = await user.finalPages[0]!;
    const redirectUrl = new URL(url);
    expect([redirectUrl.protocol, redirectUrl.hostname]).toEqual(["http:", "127.0.0.1"]);
    expect(text).not.toBe("");

    expect(server.requests.map(({ path }) => path)).toContain("/.well-known/oauth-protected-resource/mcp");
    expect(as.requests.map(({ path }) => path)).toContain("/.well-known/oauth-authorization-server");
    const registered = as.requests.find(({ path }) => path === "/reg");
    expect(JSON.parse(registered?.body ?? "")).toMatchObject({ application_type: "native" });
    const { client_id } = JSON.parse(registered?.response?.body ?? "") as { client_id: string };
    expect(await whoami(host)).toEqual({ sub: "grace", client_id, scope: "mcp" });

    const authorized = as.requests.find(({ path }) => path === "/auth");
    expect(authorized?.parameters).toMatchObject({
      client_id,
      code_challenge_method: "S256",
      resource: server.url,
      redirect_uri: redirectUrl.origin + redirectUrl.pathname,
      state: expect.any(String) as string,
    });
    const [exchanged] = as.tokenRequests("authorization_code");
    expect(exchanged?.parameters).toMatchObject({ resource: server.url, code_verifier: expect.any(String) as string });
    expect(as.tokenRequests()).toHaveLength(1);
    expect(user.openedUrls).toHaveLength(1);
  },
);

describe("a login with the browser", () => {
  it("is reused by the next host, which opens no browser", { meta: { covers: ["R2.23", "R3.48"] } }, async () => {
    const { as, server, host: open } = await makeProtectedFixture();
    const first = await open(browsingUser().ports);
    await first.servers.login("x");
    const login = serverStatusOf(first)?.login;
    await first.close();

    const user = browsingUser();
    const second = await open(user.ports);
    expect((await second.logins.list()).logins).toMatchObject([{ server: "x", resource: server.url, ...login }]);
    expect(await whoami(second)).toMatchObject({ sub: "ada" });
    expect(serverStatusOf(second)?.login).toEqual(login);
    expect([user.questions, user.openedUrls, as.tokenRequests().length]).toEqual([[], [], 1]);
  });

  it(
    "is refreshed after it expires, each time with the newest refresh token",
    { meta: { covers: ["R3.48"] } },
    async () => {
      const { as, server, host: open } = await makeProtectedFixture({ accessTokenSeconds: 600 });
      const user = browsingUser();
      const host = await open(user.ports);
      await host.servers.login("x");
      await waitUntilIdle({ as, server });
      const refused = () =>
        server.requests.filter(({ response, body }) => response?.status === 401 && body.includes("tools/call")).length;
      for (const refreshCount of [1, 2, 3]) {
        const [newest] = as.validIds("RefreshToken");
        vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
        expect(await whoami(host)).toMatchObject({ sub: "ada" });
        const refreshes = as.tokenRequests("refresh_token");
        expect(refreshes).toHaveLength(refreshCount);
        expect(refreshes.at(-1)?.parameters).toMatchObject({ refresh_token: newest, resource: server.url });
        expect(as.validIds("RefreshToken")).not.toContain(newest);
      }
      vi.useRealTimers();
      // The host knew that the tokens had expired and did not send them.
      expect(refused()).toBe(0);
      expect(user.openedUrls).toHaveLength(1);
    },
  );

  it("is stored with its refreshed tokens before `close` of the host resolves", async () => {
    const fixture = await makeProtectedFixture();
    const { as, home } = fixture;
    await createEarlierLogin(fixture);
    const host = await fixture.host();
    as.revokeAccessTokens();
    let resume = () => {};
    const refreshing = as.injectFault(isTokenRequest("refresh_token"), {
      until: new Promise<void>((go) => (resume = go)),
    });
    const call = whoami(host).catch(() => {});
    await refreshing;
    const closing = host.close();
    resume();
    await Promise.all([closing, call]);
    const [newest] = as.validIds("RefreshToken");
    expect(await readFile(join(home.stateFolder, "mcp-auth.json"), "utf8")).toContain(newest);
  });

  it("is revoked at the authorization server by a logout, and later calls fail with AUTH_REQUIRED", async () => {
    const { as, server, host: open } = await makeProtectedFixture();
    const host = await open(browserWithoutPrompts());
    await host.servers.login("x");
    const [authorization = ""] = server.authorizations;
    expect(as.validIds("RefreshToken")).toHaveLength(1);

    expect(await host.servers.logout("x")).toEqual({ forgotten: true, revoked: "yes" });
    expect([as.validIds("RefreshToken"), as.validIds("AccessToken")]).toEqual([[], []]);
    expect((await fetch(server.url, { method: "POST", headers: { authorization } })).status).toBe(401);
    expect((await host.logins.list()).logins).toEqual([]);
    await host.close();

    const unattended = await open();
    await expect(whoami(unattended)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    expect(serverStatusOf(unattended)).toMatchObject({ state: "auth_required" });
    expect(await unattended.servers.logout("x")).toMatchObject({ forgotten: false });
  });
});
