/** Tests the limit of wrong tokens and codes, at the port. */
import { PAGE_SESSION_PATH } from "@plugboard/contracts";
import { addNamedToken } from "@plugboard/host/tokens";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FailedSignIns } from "#http/failed-sign-ins.js";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { startRunningHost } from "../helpers/running-host.ts";
import type { RunningHost } from "../helpers/running-host.ts";

const LIMIT = 100;
const MINUTE = 60_000;

describe("FailedSignIns", () => {
  const from = (remoteAddress: string) => ({ socket: { remoteAddress } }) as never;

  it("counts each address separately and resets after a minute", () => {
    const clock = new ManualClock();
    const failed = new FailedSignIns(clock);
    for (let i = 0; i < LIMIT; i++) expect(failed.countAndMakeError(from("10.0.0.1")).code).toBe("UNAUTHORIZED");
    clock.advance(20_000);
    expect(failed.countAndMakeError(from("10.0.0.1"))).toMatchObject({
      code: "TOO_MANY_REQUESTS",
      details: { limit: LIMIT, retryAfterMs: 40_000, per: "failures" },
    });
    expect(failed.countAndMakeError(from("10.0.0.2")).code).toBe("UNAUTHORIZED");
    clock.advance(MINUTE);
    expect(failed.countAndMakeError(from("10.0.0.1")).code).toBe("UNAUTHORIZED");
  });

  it("keeps the counts of 1000 addresses, and drops the oldest only for a new address", () => {
    const failed = new FailedSignIns(new ManualClock());
    for (let i = 0; i <= LIMIT; i++) failed.countAndMakeError(from("first"));
    for (let i = 0; i < 999; i++) failed.countAndMakeError(from(`10.1.0.${i}`));
    expect(failed.countAndMakeError(from("first")).code).toBe("TOO_MANY_REQUESTS");
    failed.countAndMakeError(from("new"));
    expect(failed.countAndMakeError(from("first")).code).toBe("UNAUTHORIZED");
  });
});

describe("the port, after many wrong tokens and codes", () => {
  let host: RunningHost;
  beforeAll(async () => void (host = await startRunningHost({})));
  afterAll(() => host.close());

  const origin = () => new URL(host.url).origin;
  const withToken = (token: string) => fetch(host.url, { headers: { authorization: `Bearer ${token}` } });
  const withCode = (code: string) =>
    fetch(origin() + PAGE_SESSION_PATH, {
      method: "POST",
      headers: { origin: origin() },
      body: JSON.stringify({ code }),
    });

  it(
    "answers 429 to wrong tokens and codes, and still accepts the owner, a client and a valid code",
    { meta: { covers: ["S16"] } },
    async () => {
      const client = await addNamedToken(host.env, { name: "client", mayApprove: false, now: 0 });
      const statuses = new Set<number>();
      for (let i = 0; i < LIMIT / 2; i++) {
        statuses.add((await withToken(`wrong${i}`)).status).add((await withCode(`wrong${i}`)).status);
      }
      expect(statuses).toEqual(new Set([401]));
      for (const refused of [await withToken("wrong"), await withCode("wrong")]) {
        expect(refused.status).toBe(429);
        expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
        expect(await refused.json()).toMatchObject({ error: { code: "TOO_MANY_REQUESTS" } });
      }
      // A client without a token still gets 401, which says where to get a token.
      expect((await fetch(host.url)).status).toBe(401);
      for (const token of [host.token, client]) expect([401, 403, 429]).not.toContain((await withToken(token)).status);
      const { hash } = new URL(host.daemon.openPage().url);
      expect((await withCode(hash.slice("#code=".length))).status).toBe(200);
    },
  );
});
