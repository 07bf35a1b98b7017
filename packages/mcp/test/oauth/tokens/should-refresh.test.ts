/** Tests when a token is refreshed before it expires. */
import { shouldRefresh } from "@plugboard/mcp/oauth";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const MINUTE = 60_000;
const until = (expiresAt?: number) => ({
  accessToken: "a",
  tokenType: "Bearer",
  ...(expiresAt !== undefined && { expiresAt }),
});

describe("shouldRefresh", () => {
  it.each([
    ["true in the last minute", until(60 * MINUTE), 59 * MINUTE, 0, true],
    ["false before the last minute", until(60 * MINUTE), 59 * MINUTE - 1, 0, false],
    ["true in the last tenth of a short lifetime", until(100_000), 90_000, 0, true],
    ["false before the last tenth of a short lifetime", until(100_000), 89_999, 0, false],
    ["true after the expiry", until(MINUTE), 2 * MINUTE, 0, true],
    ["true in the last minute of a token of unknown age", until(MINUTE), 1, undefined, true],
    ["false without an expiry", until(), 1e12, 0, false],
    ["false right after a refresh, even before the expiry", until(1000), 999, 0, false],
    ["false right after a refresh, even after the expiry", until(-MINUTE), 1, 0, false],
    ["true five seconds after a refresh", until(1000), 5000, 0, true],
  ])("returns %s", { meta: { covers: ["F35"] } }, (_, tokens, now, renewedAt, renewed) => {
    expect(shouldRefresh(tokens, now, renewedAt)).toBe(renewed);
  });

  it("returns true once if the clock is set ten minutes forward", { meta: { covers: ["F35"] } }, () => {
    const first = until(5 * MINUTE);
    expect(shouldRefresh(first, 10 * MINUTE, 0)).toBe(true);
    expect(shouldRefresh(until(15 * MINUTE), 10 * MINUTE + 1, 10 * MINUTE)).toBe(false);
  });

  it("returns false if the clock is set ten minutes back", { meta: { covers: ["F35"] } }, () => {
    expect(shouldRefresh(until(5 * MINUTE), -10 * MINUTE, 0)).toBe(false);
  });

  it(
    "returns false in the five seconds after a refresh, whatever the lifetime and the clock",
    { meta: { covers: ["F35"] } },
    () => {
      const time = fc.integer({ min: -1e13, max: 1e13 });
      fc.assert(
        fc.property(time, time, fc.integer({ min: 0, max: 4999 }), (expiresAt, renewedAt, since) => {
          expect(shouldRefresh(until(expiresAt), renewedAt + since, renewedAt)).toBe(false);
        }),
      );
    },
  );
});
