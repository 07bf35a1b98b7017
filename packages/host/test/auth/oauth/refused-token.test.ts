/** Tests calls whose token the server refuses. The host refreshes the token, or asks the user to log in again. */
import { isTokenRequest } from "@plugboard/testkit/authorization-server";
import { describe, expect, it } from "vitest";
import { waitForEvent } from "../../helpers/embedded-host.ts";
import {
  waitUntilIdle,
  createEarlierLogin,
  makeProtectedFixture,
  serverStatusOf,
  answeringUser,
  browsingUser,
  whoami,
} from "../../helpers/auth/protected-fixture.ts";
import { resultText } from "../../helpers/test-project.ts";

describe("a call whose token is refused", () => {
  it("is sent again after the host has refreshed the token", { meta: { covers: ["F28"] } }, async () => {
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

  it("fails with AUTH_REQUIRED if the refreshed token is refused too", { meta: { covers: ["F28"] } }, async () => {
    const fixture = await makeProtectedFixture();
    const { as, server } = fixture;
    await createEarlierLogin(fixture);
    const unattended = await fixture.host();
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

  it("fails with AUTH_REQUIRED if the refresh token is revoked too", { meta: { covers: ["F28"] } }, async () => {
    const fixture = await makeProtectedFixture();
    const { as } = fixture;
    await createEarlierLogin(fixture);
    const host = await fixture.host();
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    await waitUntilIdle(fixture, 2);
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

  it("asks the user to log in again and then continues", { meta: { covers: ["R2.55"] } }, async () => {
    const fixture = await makeProtectedFixture();
    await createEarlierLogin(fixture);
    const user = browsingUser();
    const host = await fixture.host(user.ports);
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    await waitUntilIdle(fixture, 2);
    fixture.as.revokeGrants();
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    expect(user.questions.map(({ reason, step }) => [reason, step?.type])).toEqual([
      ["expired", undefined],
      ["expired", "browser"],
    ]);
    expect(user.openedUrls).toHaveLength(1);
  });

  it("fails with AUTH_REQUIRED after one question if the user declines to log in", async () => {
    const fixture = await makeProtectedFixture();
    await createEarlierLogin(fixture);
    const { asked, ports } = answeringUser(() => ({ type: "login", action: "cancel" }));
    const host = await fixture.host(ports);
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    await waitUntilIdle(fixture, 2);
    fixture.as.revokeGrants();
    await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    await waitForEvent(host, "server.changed", ({ state }) => state === "auth_required");
    await host.close();
    expect(asked).toMatchObject([{ reason: "expired" }]);
  });

  it("shares one refresh with all concurrent calls", async () => {
    const { as, server, host: open } = await makeProtectedFixture();
    const host = await open(browsingUser().ports);
    await host.servers.login("x");
    await waitUntilIdle({ as, server });
    as.revokeAccessTokens();
    const all = await Promise.all(Array.from({ length: 10 }, () => whoami(host)));
    expect(all).toEqual(Array(10).fill(expect.objectContaining({ sub: "ada" })));
    expect(as.tokenRequests("refresh_token")).toHaveLength(1);
  });

  it("keeps the login if the authorization server fails during the refresh", async () => {
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

describe("a call that needs more scope than the user granted", () => {
  it("asks the user to log in for the old and the new scope, and then continues", async () => {
    const { as, host: open } = await makeProtectedFixture();
    const user = browsingUser();
    const host = await open(user.ports);
    await host.servers.login("x");
    expect(resultText(await host.tools.call("x:admin", {}))).toBe("as you wish");
    expect(user.questions.map(({ reason }) => reason)).toContain("scope");
    const scopes = as.requests.flatMap(({ path, parameters }) => (path === "/auth" ? [parameters["scope"]] : []));
    expect(scopes.at(-1)?.split(" ")).toEqual(expect.arrayContaining(["mcp", "admin"]));
    expect(await whoami(host)).toMatchObject({ scope: expect.stringContaining("admin") });
    expect(user.openedUrls).toHaveLength(2);
  });
});
