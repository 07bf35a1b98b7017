/** Logins that something comes in between: the host closes, the user gives up or logs out. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HostError } from "@plugboard/contracts";
import { isTokenRequest } from "@plugboard/testkit/authorization-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { obtainTokens } from "#auth/oauth/obtain-tokens.js";
import type { ProviderDiscovery } from "#auth/oauth/provider-discovery.js";
import { createEarlierLogin, makeProtectedFixture, browsingUser, whoami } from "../../helpers/protected-fixture.ts";

it("a host that is closed before its login has begun leaves nothing behind that fails unheard", async () => {
  const { server, host: open } = await makeProtectedFixture();
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => void unheard.push(reason);
  process.on("unhandledRejection", hear);
  onTestFinished(() => void process.off("unhandledRejection", hear));
  const asked = server.injectFault(({ method }) => method === "POST", "hang");
  const host = await open(browsingUser().ports);
  const login = host.servers.login("x");
  login.catch(() => {});
  await asked;
  await host.close();
  await expect(login).rejects.toMatchObject({ code: "CANCELLED" });
  // What failed unheard is told of after the turn it failed in; the lock is given up some turns later.
  for (let turns = 0; turns < 200; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect(unheard).toEqual([]);
});

describe("logging out while the login is being renewed", () => {
  it.each(["by the host that renews it", "by another"])("%s ends it all the same", async (by) => {
    const world = await makeProtectedFixture();
    const { as, home, host: open } = world;
    await createEarlierLogin(world);
    const [renewing, other] = [await open(), await open()];
    as.revokeAccessTokens();
    // One that takes nothing back, so that it is renewed even so.
    for (const _ of ["refresh", "access"])
      void as.injectFault(({ path }) => path === "/token/revocation", { status: 503, body: "" });
    let goOn = () => {};
    const renewal = as.injectFault(isTokenRequest("refresh_token"), {
      until: new Promise<void>((done) => (goOn = done)),
    });
    const called = whoami(renewing).catch(() => {});
    await renewal;
    let settled = false;
    const out = (by === "by another" ? other : renewing).servers.logout("x").finally(() => (settled = true));
    // Whoever waits for a lock has a draft of it.
    const waits = async () => (await readdir(home.stateFolder)).some((name) => /\.refresh\.lock\..*draft$/.test(name));
    await expect.poll(async () => settled || (await waits())).toBe(true);
    goOn();
    expect(await out).toEqual({ forgotten: true, revoked: "no" });
    await called;
    expect((await other.logins.list()).logins).toEqual([]);
  });
});

it("a login with a code that the user gives up is asked for no longer", async () => {
  let asking: AbortSignal | undefined;
  const provider = { issuer: "https://as.example", metadata: { issuer: "https://as.example" }, source: "metadata" };
  const oauth = {
    selectScope: () => undefined,
    resolveClient: async () => ({ clientId: "me", authMethod: "none", origin: "registered" }),
    beginDeviceAuthorization: async () => ({
      url: "https://as.example/device",
      code: "ABCD",
      waitForTokens: (signal: AbortSignal) => new Promise(() => void (asking = signal)),
    }),
  };
  const discovery = {
    loadOAuth: async () => oauth,
    context: async () => ({ server: "x" }),
    discover: async () => provider,
  };
  const promptStep = () => Promise.reject(new HostError("LOGIN_FAILED", { server: "x", reason: "it was broken off" }));
  const login = obtainTokens({
    discovery: discovery as unknown as ProviderDiscovery,
    auth: { type: "none" },
    previous: undefined,
    interaction: { method: "device", promptStep, signal: new AbortController().signal },
  });
  await expect(login).rejects.toMatchObject({ code: "LOGIN_FAILED" });
  expect(asking?.aborted).toBe(true);
});

it("a server that refuses every login, and each that is renewed, has only so many made", async () => {
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

it("a login is made anew whatever is written down as where the last one came back to", async () => {
  const world = await makeProtectedFixture();
  const { home, host: open } = world;
  await createEarlierLogin(world);
  const file = join(home.stateFolder, "mcp-auth.json");
  await writeFile(
    file,
    (await readFile(file, "utf8")).replace(/"redirect_uri": ?"[^"]*"/, '"redirect_uri":"somewhere"'),
  );
  const host = await open(browsingUser().ports);
  expect(await host.servers.login("x")).toMatchObject({ state: "ready" });
});

it("an authorization server that fails is not asked again for each request, while the login is good", async () => {
  const world = await makeProtectedFixture({ accessTokenSeconds: 600 });
  const { as, host: open } = world;
  await createEarlierLogin(world);
  // Within the last minute of the token.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 570_000 });
  onTestFinished(() => void vi.useRealTimers());
  for (let times = 0; times < 9; times++)
    void as.injectFault(isTokenRequest("refresh_token"), { status: 503, body: "" });
  const host = await open();
  for (let times = 0; times < 3; times++) expect(await whoami(host)).toMatchObject({ sub: "ada" });
  expect(as.tokenRequests("refresh_token")).toHaveLength(1);
});
