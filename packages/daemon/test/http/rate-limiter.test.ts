/** Tests the limit of requests per second, of the class and of the port. */
import { writeFile } from "node:fs/promises";
import { addNamedToken } from "@plugboard/host/tokens";
import { describe, expect, it, onTestFinished } from "vitest";
import { RateLimiter } from "#http/rate-limiter.js";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { frontWith } from "../helpers/front-requests.ts";
import { startRunningHost } from "../helpers/running-host.ts";

describe("RateLimiter", () => {
  /** Returns how many of the requests were accepted. */
  function accepted(limiter: RateLimiter, principal: string, requests: number): number {
    let count = 0;
    for (let sent = 0; sent < requests; sent++) {
      try {
        limiter.count(principal);
        count += 1;
      } catch (error) {
        expect(error).toMatchObject({ code: "TOO_MANY_REQUESTS" });
      }
    }
    return count;
  }

  it("accepts a burst of two seconds, then the limit per second", () => {
    const clock = new ManualClock();
    const limiter = new RateLimiter(10, clock);
    expect(accepted(limiter, "a", 50)).toBe(20);
    clock.advance(1000);
    expect(accepted(limiter, "a", 50)).toBe(10);
    clock.advance(3_600_000);
    expect(accepted(limiter, "a", 50)).toBe(20);
  });

  it("counts each principal on its own", () => {
    const limiter = new RateLimiter(10, new ManualClock());
    accepted(limiter, "a", 50);
    expect(accepted(limiter, "b", 50)).toBe(20);
  });

  it("says when the next request is accepted", () => {
    const clock = new ManualClock();
    const limiter = new RateLimiter(4, clock);
    accepted(limiter, "a", 8);
    expect(() => limiter.count("a")).toThrow(expect.objectContaining({ details: { limit: 4, retryAfterMs: 250 } }));
    clock.advance(250);
    expect(accepted(limiter, "a", 2)).toBe(1);
  });

  it("keeps limiting a principal that floods, however many others send requests", () => {
    const clock = new ManualClock();
    const limiter = new RateLimiter(10, clock);
    expect(accepted(limiter, "flooding", 50)).toBe(20);
    for (let index = 0; index < 3000; index++) limiter.count(`subject-${index}`);
    expect(accepted(limiter, "flooding", 50)).toBe(0);
    // After this time, some of the other principals may be forgotten, because all their requests are allowed again.
    clock.advance(100);
    expect(accepted(limiter, "flooding", 50)).toBe(1);
    for (let index = 3000; index < 6000; index++) limiter.count(`subject-${index}`);
    expect(accepted(limiter, "flooding", 50)).toBe(0);
  });

  it("forgets principals that have not sent requests for a while", () => {
    const clock = new ManualClock();
    const limiter = new RateLimiter(10, clock);
    for (let index = 0; index < 5000; index++) {
      limiter.count(`subject-${index}`);
      clock.advance(1);
    }
    expect(limiter.size).toBeLessThanOrEqual(1000);
  });
});

describe("the port of a running host", () => {
  it("answers 429 with Retry-After to a token that floods it, and still serves the others", async () => {
    const running = await startRunningHost({}, {}, {}, {}, { requests_per_second: 5 });
    onTestFinished(running.close);
    const [flooding, calm] = await Promise.all(
      ["flooding", "calm"].map(async (name) =>
        frontWith(running, await addNamedToken(running.env, { name, mayApprove: false, now: 0 })),
      ),
    );
    const statuses: number[] = [];
    let refused: Response | undefined;
    for (let sent = 0; sent < 40; sent++) {
      const response = await flooding!.ping({ session: "none" });
      statuses.push(response.status);
      if (response.status === 429) refused = response;
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(404));
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(10);
    expect(refused?.headers.get("retry-after")).toBe("1");
    expect(await refused?.json()).toMatchObject({ error: { code: "TOO_MANY_REQUESTS", details: { limit: 5 } } });
    expect((await calm!.initialize()).status).toBe(200);
    const owner = frontWith(running, running.token);
    for (let sent = 0; sent < 20; sent++) expect((await owner.ping({ session: "none" })).status).toBe(404);
  });

  it("applies a new limit when the config has changed", async () => {
    const running = await startRunningHost({}, {}, {}, {}, { requests_per_second: 1 });
    onTestFinished(running.close);
    const token = await addNamedToken(running.env, { name: "busy", mayApprove: false, now: 0 });
    const burst = async () => {
      const statuses: number[] = [];
      for (let sent = 0; sent < 20; sent++)
        statuses.push((await frontWith(running, token).ping({ session: "none" })).status);
      return statuses;
    };
    expect(await burst()).toContain(429);
    const config = { mcp: { gateway: { requests_per_second: 1_000_000 } } };
    await writeFile(running.env["PLUGBOARD_CONFIG_PATH"]!, JSON.stringify(config));
    await running.daemon.workspace.config.reload();
    expect(await burst()).toEqual(Array(20).fill(404));
  });
});
