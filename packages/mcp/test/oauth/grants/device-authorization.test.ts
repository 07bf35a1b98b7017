/** Tests the device login with a manual clock. */
import { HostError } from "@plugboard/contracts";
import { beginDeviceAuthorization, discoverProvider, createGuardedFetch } from "@plugboard/mcp/oauth";
import type { DeviceAuthorization, OAuthClient } from "@plugboard/mcp/oauth";
import { describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
import { httpReply, startLoginSites, expectHostError } from "../../helpers/oauth-site.ts";

const client: OAuthClient = { clientId: "me", authMethod: "none", origin: "registered" };
const pending = httpReply(400, { error: "authorization_pending" });
const granted = { access_token: "granted", token_type: "bearer" };

async function begin(overrides: object, answers: object[] = [], scope?: string) {
  const clock = new ManualClock();
  const sites = await startLoginSites({ clock });
  const { as, ctx, url } = sites;
  const remainingAnswers = [...answers];
  const askedAt: number[] = [];
  as.routes["/token"] = () => {
    askedAt.push(clock.now());
    return remainingAnswers.shift() ?? pending;
  };
  as.routes["/device"] = { device_code: "device-secret", user_code: "ABCD-1234", verification_uri: url, ...overrides };
  const found = await discoverProvider({ url }, ctx);
  const metadata = { ...found.metadata, device_authorization_endpoint: `${as.origin}/device` };
  const provider = { ...found, metadata };
  const login = () => beginDeviceAuthorization(provider, client, scope === undefined ? {} : { scope }, ctx);
  return { ...sites, clock, provider, login, askedAt };
}

/** Advances the clock in steps until the promise settles, with time for the network between them. */
async function waited<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = promise.finally(() => (settled = true));
  done.catch(() => {});
  for (;;) {
    await vi.waitUntil(() => settled || clock.pendingTimers > 0, { interval: 1, timeout: 15_000 });
    if (settled) return done;
    clock.advance(1000);
  }
}

describe("beginDeviceAuthorization", () => {
  it("returns the login page and the code for the user, and polls for the tokens", async () => {
    const { login, clock, askedAt, as, url } = await begin(
      { expires_in: 600, verification_uri_complete: "https://as.example/?code=ABCD-1234" },
      [pending, pending, granted],
      "read",
    );
    clock.advance(500);

    const shown = await login();
    const tokens = await waited(clock, shown.waitForTokens());

    expect(shown).toMatchObject({
      url,
      completeUrl: "https://as.example/?code=ABCD-1234",
      code: "ABCD-1234",
      expiresAt: 600_500,
    });
    expect(Object.fromEntries(as.form("/device"))).toEqual({ client_id: "me", scope: "read", resource: url });
    expect(Object.fromEntries(as.form("/token"))).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: "device-secret",
      client_id: "me",
      resource: url,
    });
    expect(tokens).toEqual({ accessToken: "granted", tokenType: "Bearer", scope: "read" });
    expect(askedAt).toEqual([5500, 10_500, 15_500]);
  });

  it("polls less often after `slow_down`, and stays at that interval", async () => {
    const slower = httpReply(400, { error: "slow_down" });
    const { login, clock, askedAt } = await begin({ expires_in: 600, interval: 2 }, [
      pending,
      slower,
      pending,
      granted,
    ]);
    await waited(clock, (await login()).waitForTokens());
    expect(askedAt).toEqual([2000, 4000, 11_000, 18_000]);
  });

  it("keeps polling after a network failure, but less often", async () => {
    const { provider, clock, askedAt, ctx } = await begin({ expires_in: 600 }, [granted]);
    let failures = 2;
    const fetch: typeof ctx.fetch = (url, init) => {
      if (!url.endsWith("/token") || failures === 0) return ctx.fetch(url, init);
      failures -= 1;
      return Promise.reject(new HostError("SERVER_UNREACHABLE", { server: "demo", reason: "ECONNRESET" }));
    };
    const shown = await beginDeviceAuthorization(provider, client, {}, { ...ctx, fetch });
    await waited(clock, shown.waitForTokens());
    expect(askedAt).toEqual([5000 + 10_000 + 20_000]);
  });

  it("keeps polling after a failed connection or a missing response", async () => {
    const { provider, clock, askedAt, ctx, url } = await begin({ expires_in: 600 }, [granted]);
    const server = "demo";
    const broken = createGuardedFetch({ server, url, clock, connect: () => Promise.reject(new Error("reset")) });
    const silent = createGuardedFetch({ server, url, clock, connect: () => new Promise(() => {}) });
    const failing = [broken, silent];
    const fetch: typeof ctx.fetch = (address, init) =>
      ((address.endsWith("/token") && failing.shift()) || ctx.fetch)(address, init);
    const shown = await beginDeviceAuthorization(provider, client, {}, { ...ctx, fetch });
    await waited(clock, shown.waitForTokens());
    expect(askedAt).toHaveLength(1);
  });

  it.each([
    ["the user denies access", { error: "access_denied", error_description: "no device-secret" }, "access_denied"],
    ["the code has expired", { error: "expired_token" }, "expired_token"],
    ["the code is unknown", { error: "invalid_grant" }, "invalid_grant"],
  ])("stops polling when %s", async (_, refusal, error) => {
    const { login, clock, askedAt } = await begin({ expires_in: 600 }, [pending, httpReply(400, refusal)]);
    const failed = await expectHostError(waited(clock, (await login()).waitForTokens()));
    expect(failed).toMatchObject({ code: "LOGIN_FAILED", details: { error } });
    expect(failed.message).not.toContain("device-secret");
    expect(askedAt).toHaveLength(2);
  });

  it("stops polling when the code expires, whatever the server says", async () => {
    const { login, clock, askedAt } = await begin({ expires_in: 12 });
    const failed = await expectHostError(waited(clock, (await login()).waitForTokens()));
    expect(failed).toMatchObject({ code: "LOGIN_FAILED", details: { error: "expired_token" } });
    expect(askedAt).toEqual([5000, 10_000]);
    expect(clock.now()).toBe(12_000);
  });

  it.each([3_600_000, -3_600_000])(
    "polls for the whole lifetime of the code even if the wall clock is changed by %d ms",
    { meta: { covers: ["F47"] } },
    async (byMs) => {
      const { login, clock } = await begin({ expires_in: 12 });
      const shown = await login();
      clock.shiftWallClock(byMs);
      const failed = await expectHostError(waited(clock, shown.waitForTokens()));
      expect(failed).toMatchObject({ code: "LOGIN_FAILED", details: { error: "expired_token" } });
      expect(clock.steady()).toBe(12_000);
    },
  );

  it("can be cancelled and leaves no timer behind", async () => {
    const { login, clock, askedAt } = await begin({ expires_in: 600 });
    const cancellation = new AbortController();
    const waiting = expectHostError((await login()).waitForTokens(cancellation.signal));
    cancellation.abort();
    expect(await waiting).toMatchObject({ code: "CANCELLED" });
    expect([askedAt, clock.pendingTimers]).toEqual([[], 0]);
  });

  it.each([
    ["missing", {}, 600_000, 5000],
    ["strings", { expires_in: "300", interval: "7" }, 300_000, 7000],
    ["zero", { expires_in: 0, interval: 0 }, 600_000, 5000],
    ["too short", { expires_in: 300, interval: 0.001 }, 300_000, 1000],
    ["too long", { expires_in: 1e12, interval: 30 }, 3_600_000, 30_000],
  ])("corrects a lifetime and an interval that are %s", async (_, times, expiresAt, firstAt) => {
    const { login, clock, askedAt } = await begin(times, [granted]);
    const shown = await login();
    await waited(clock, shown.waitForTokens());
    expect([shown.expiresAt, askedAt[0]]).toEqual([expiresAt, firstAt]);
  });

  it("accepts `verification_url`, the older name of the field", async () => {
    const { login } = await begin({ verification_uri: undefined, verification_url: "https://as.example/device" });
    expect(await login()).toMatchObject({ url: "https://as.example/device" });
  });

  it.each(["javascript:alert(1)", "file:///etc/passwd", "http://10.0.0.5/device", "device"])(
    "rejects the login page %s",
    async (address) => {
      const unsafe = await begin({ verification_uri: address });
      expect(await expectHostError(unsafe.login())).toMatchObject({ code: "LOGIN_UNSAFE" });
      const complete = await begin({ verification_uri_complete: address });
      expect(await complete.login()).not.toHaveProperty("completeUrl");
    },
  );

  it("removes control characters from the code", async () => {
    const { login } = await begin({ user_code: `\u001b]0;x\u0007${"A".repeat(100)}` });
    const { code }: DeviceAuthorization = await login();
    expect(code).toMatch(/^<U\+001B>\]0;x<U\+0007>A+$/);
    expect(code.length).toBeLessThanOrEqual(40);
  });

  it("throws LOGIN_NOT_OFFERED if the server has no device login", async () => {
    const { ctx, url } = await startLoginSites();
    const provider = await discoverProvider({ url }, ctx);
    expect(await expectHostError(beginDeviceAuthorization(provider, client, {}, ctx))).toMatchObject({
      code: "LOGIN_NOT_OFFERED",
    });
  });

  it("reports that the server rejected the login request", async () => {
    const { login, as } = await begin({});
    as.routes["/device"] = httpReply(400, { error: "unauthorized_client" });
    const failed = await expectHostError(login());
    expect(failed).toMatchObject({ code: "LOGIN_FAILED", details: { error: "unauthorized_client" } });
  });
});
