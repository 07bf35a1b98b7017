/** Tests logins that are interrupted: the host closes, the user cancels or logs out, or a server fails. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import { isTokenRequest } from "@plugboard/testkit/authorization-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { obtainTokens } from "#auth/oauth/obtain-tokens.js";
import type { ProviderDiscovery } from "#auth/oauth/provider-discovery.js";
import {
  createEarlierLogin,
  makeProtectedFixture,
  browsingUser,
  whoami,
} from "../../helpers/auth/protected-fixture.ts";

it("closing a host cancels a login that is starting, without an unhandled rejection", async () => {
  const { server, host: open } = await makeProtectedFixture();
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", onUnhandled);
  onTestFinished(() => void process.off("unhandledRejection", onUnhandled));
  const requested = server.injectFault(({ method }) => method === "POST", "hang");
  const host = await open(browsingUser().ports);
  const login = host.servers.login("x");
  login.catch(() => {});
  await requested;
  await host.close();
  await expect(login).rejects.toMatchObject({ code: "CANCELLED" });
  // Unhandled rejections are emitted some turns of the event loop later.
  for (let turns = 0; turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});

describe("a logout during a token refresh", () => {
  it.each(["the host that refreshes", "another host"])(
    "deletes the login for all hosts when %s logs out",
    async (by) => {
      const fixture = await makeProtectedFixture();
      const { as, home, host: open } = fixture;
      await createEarlierLogin(fixture);
      const [refreshing, other] = [await open(), await open()];
      as.revokeAccessTokens();
      // The authorization server revokes nothing, so that the refresh succeeds after the logout.
      for (const _ of ["refresh", "access"])
        void as.injectFault(({ path }) => path === "/token/revocation", { status: 503, body: "" });
      let resume = () => {};
      const refresh = as.injectFault(isTokenRequest("refresh_token"), {
        until: new Promise<void>((done) => (resume = done)),
      });
      const call = whoami(refreshing).catch(() => {});
      await refresh;
      let settled = false;
      const loggingOut = by === "another host" ? other : refreshing;
      const logout = loggingOut.servers.logout("x").finally(() => (settled = true));
      // A host that waits for the lock has written a draft of the lock file.
      const waitsForLock = async () =>
        (await readdir(home.stateFolder)).some((name) => /\.refresh\.lock\..*draft$/.test(name));
      await expect.poll(async () => settled || (await waitsForLock())).toBe(true);
      resume();
      expect(await logout).toEqual({ forgotten: true, revoked: "no" });
      await call;
      expect((await other.logins.list()).logins).toEqual([]);
    },
  );
});

it("obtainTokens stops polling when the user cancels a login with a device code", async () => {
  let pollSignal: AbortSignal | undefined;
  const provider = { issuer: "https://as.example", metadata: { issuer: "https://as.example" }, source: "metadata" };
  const oauth = {
    selectScope: () => undefined,
    resolveClient: async () => ({ clientId: "me", authMethod: "none", origin: "registered" }),
    beginDeviceAuthorization: async () => ({
      url: "https://as.example/device",
      code: "ABCD",
      waitForTokens: (signal: AbortSignal) => new Promise(() => void (pollSignal = signal)),
    }),
  };
  const discovery = {
    loadOAuth: async () => oauth,
    context: async () => ({ server: "x" }),
    discover: async () => provider,
  };
  const promptStep = () =>
    Promise.reject(new HostError("LOGIN_FAILED", { server: "x", reason: "the login was cancelled" }));
  const login = obtainTokens({
    discovery: discovery as unknown as ProviderDiscovery,
    auth: { type: "none" },
    previous: undefined,
    interaction: { method: "device", promptStep, signal: new AbortController().signal },
  });
  await expect(login).rejects.toMatchObject({ code: "LOGIN_FAILED" });
  expect(pollSignal?.aborted).toBe(true);
});

it("a host asks the user at most three times to log in at a server that refuses every login", async () => {
  const { server, host: open } = await makeProtectedFixture();
  const user = browsingUser();
  const host = await open(user.ports);
  const isCall = ({ method }: { method: string }) => method === "POST";
  const challenge = `Bearer resource_metadata="${new URL("/.well-known/oauth-protected-resource/mcp", server.url).href}"`;
  for (let times = 0; times < 200; times++) {
    void server.injectFault(isCall, { status: 401, headers: { "www-authenticate": challenge }, body: "" });
  }
  for (let times = 0; times < 4; times++) {
    await expect(whoami(host)).rejects.toMatchObject({ code: "AUTH_REQUIRED" });
  }
  expect(user.openedUrls).toHaveLength(3);
});

it("a host logs in again even if the redirect URI of the stored login is invalid", async () => {
  const fixture = await makeProtectedFixture();
  const { home, host: open } = fixture;
  await createEarlierLogin(fixture);
  const file = join(home.stateFolder, "mcp-auth.json");
  await writeFile(
    file,
    (await readFile(file, "utf8")).replace(/"redirect_uri": ?"[^"]*"/, '"redirect_uri":"somewhere"'),
  );
  const host = await open(browsingUser().ports);
  expect(await host.servers.login("x")).toMatchObject({ state: "ready" });
});

it("a host does not retry a failed refresh with each request while the old token is still valid", async () => {
  const fixture = await makeProtectedFixture({ accessTokenSeconds: 600 });
  const { as, host: open } = fixture;
  await createEarlierLogin(fixture);
  // The token expires within a minute, so the host tries to refresh it.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 570_000 });
  onTestFinished(() => void vi.useRealTimers());
  for (let times = 0; times < 9; times++)
    void as.injectFault(isTokenRequest("refresh_token"), { status: 503, body: "" });
  const host = await open();
  for (let times = 0; times < 3; times++) expect(await whoami(host)).toMatchObject({ sub: "ada" });
  expect(as.tokenRequests("refresh_token")).toHaveLength(1);
});
