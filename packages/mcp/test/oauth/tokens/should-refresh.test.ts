/** When a token is renewed before it is refused. */
import { shouldRefresh } from "@plugboard/mcp/oauth";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const MINUTE = 60_000;
const until = (expiresAt?: number) => ({
  accessToken: "a",
  tokenType: "Bearer",
  ...(expiresAt !== undefined && { expiresAt }),
});

describe("a token", () => {
  it.each([
    ["in its last minute", until(60 * MINUTE), 59 * MINUTE, 0, true],
    ["no earlier", until(60 * MINUTE), 59 * MINUTE - 1, 0, false],
    ["in the last tenth of a short life", until(100_000), 90_000, 0, true],
    ["no earlier in a short life", until(100_000), 89_999, 0, false],
    ["when it has ended", until(MINUTE), 2 * MINUTE, 0, true],
    ["in the last minute if nobody knows how old it is", until(MINUTE), 1, undefined, true],
    ["never, if nobody knows when it ends", until(), 1e12, 0, false],
    ["not again at once, though it is about to end", until(1000), 999, 0, false],
    ["not again at once, though it has ended", until(-MINUTE), 1, 0, false],
    ["again a little later", until(1000), 5000, 0, true],
  ])("is renewed %s", { meta: { covers: ["F35"] } }, (_, tokens, now, renewedAt, renewed) => {
    expect(shouldRefresh(tokens, now, renewedAt)).toBe(renewed);
  });

  it(
    "is renewed once if the clock is set ten minutes forward, and then as before",
    { meta: { covers: ["F35"] } },
    () => {
      const first = until(5 * MINUTE);
      expect(shouldRefresh(first, 10 * MINUTE, 0)).toBe(true);
      expect(shouldRefresh(until(15 * MINUTE), 10 * MINUTE + 1, 10 * MINUTE)).toBe(false);
    },
  );

  it("is sent as it is if the clock is set ten minutes back", { meta: { covers: ["F35"] } }, () => {
    expect(shouldRefresh(until(5 * MINUTE), -10 * MINUTE, 0)).toBe(false);
  });

  it("is never renewed again and again, whatever the life and the clock", { meta: { covers: ["F35"] } }, () => {
    const time = fc.integer({ min: -1e13, max: 1e13 });
    fc.assert(
      fc.property(time, time, fc.integer({ min: 0, max: 4999 }), (expiresAt, renewedAt, since) => {
        expect(shouldRefresh(until(expiresAt), renewedAt + since, renewedAt)).toBe(false);
      }),
    );
  });
});
