/** Tests hosts in separate processes that share the logins of one user. */
import { isTokenRequest } from "@plugboard/testkit/authorization-server";
import { startProtectedServer } from "@plugboard/testkit/protected-server";
import { completeLogin } from "@plugboard/testkit/complete-login";
import { expect, it, onTestFinished } from "vitest";
import { startHostProcess } from "../../helpers/auth/login-process.ts";
import {
  waitUntilIdle,
  browserWithoutPrompts,
  createEarlierLogin,
  makeProtectedFixture,
  browsingUser,
  whoami,
} from "../../helpers/auth/protected-fixture.ts";

const ROUNDS = process.env["PLUGBOARD_LONG"] ? 50 : 10;
const isRefresh = isTokenRequest("refresh_token");
const isRefused = ({ response }: { readonly response?: { readonly status: number } }) => response?.status === 401;

it(
  "two processes that refresh a shared login at the same time send only one request, in each of many rounds",
  { meta: { covers: ["F33"] }, timeout: 120_000 },
  async () => {
    const fixture = await makeProtectedFixture();
    const { as, server } = fixture;
    await createEarlierLogin(fixture);
    const [one, other] = await Promise.all([startHostProcess(fixture), startHostProcess(fixture)]);
    expect(await Promise.all([one.call(), other.call()])).toEqual(["ada", "ada"]);
    await waitUntilIdle(fixture, 3);

    for (let round = 1; round <= ROUNDS; round++) {
      as.revokeAccessTokens();
      // Delays the answer to the refresh until the server has refused both processes.
      void as.injectFault(isRefresh, { until: server.answered(isRefused, 2) });
      const answers = await Promise.all([one.call(), other.call()]);
      expect([round, ...answers, as.tokenRequests("refresh_token").length]).toEqual([round, "ada", "ada", round]);
    }
    expect(as.validIds("RefreshToken")).toHaveLength(1);
    expect(as.tokenRequests().every(({ response }) => response?.status === 200)).toBe(true);
  },
);

it(
  "a process that crashes after a refresh, before it stores the tokens, loses only that login",
  { meta: { covers: ["F34"] } },
  async () => {
    const fixture = await makeProtectedFixture();
    const { as, home } = fixture;
    const second = await startProtectedServer(as);
    onTestFinished(() => second.close());
    const servers = { x: { url: fixture.server.url }, y: { url: second.url } };
    const first = await home.host({ servers, ports: browserWithoutPrompts() });
    await first.servers.login("x");
    await first.servers.login("y");
    await first.close();
    const crashing = await startHostProcess(fixture);
    expect(await crashing.call()).toBe("ada");

    as.revokeAccessTokens();
    const lost = as.injectFault(isRefresh, "lose");
    const call = crashing.call().catch(() => "gone");
    expect((await lost).response?.status).toBe(200);
    await crashing.kill();
    expect(await call).toBe("gone");

    const user = browsingUser();
    const host = await home.host({ servers, ports: browserWithoutPrompts(user) });
    await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
    await host.ready();
    expect(host.status()).toMatchObject([
      { id: "x", state: "auth_required" },
      { id: "y", state: "ready" },
    ]);
    expect((await host.tools.call("y:add", { a: 1, b: 2 })).content).toEqual([{ type: "text", text: "3" }]);
    expect(user.openedUrls).toEqual([]);
    expect(await host.servers.login("x")).toMatchObject({ state: "ready" });
    expect(await whoami(host)).toMatchObject({ sub: "ada" });
    expect(user.openedUrls).toHaveLength(1);
  },
);

it("two processes that need the same login open only one browser page", async () => {
  const fixture = await makeProtectedFixture();
  // Waits for both refusals, because one process may open the page before the other has started.
  const refused = fixture.server.answered(isRefused, 2);
  const [one, other] = await Promise.all([startHostProcess(fixture), startHostProcess(fixture)]);
  const calls = Promise.all([one.call(), other.call()]);
  await refused;
  await expect.poll(() => [...one.openedUrls, ...other.openedUrls], { timeout: 30_000 }).toHaveLength(1);
  const [url = ""] = [...one.openedUrls, ...other.openedUrls];
  await completeLogin(url, { callback: "visit" });
  expect(await calls).toEqual(["ada", "ada"]);
  expect([...one.openedUrls, ...other.openedUrls]).toEqual([url]);
  expect(fixture.as.tokenRequests()).toHaveLength(1);
});
