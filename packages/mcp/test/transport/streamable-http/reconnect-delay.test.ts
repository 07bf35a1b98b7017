import { reconnectDelay } from "#transport/streamable-http/reconnect-delay.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const most = () => 0;
const least = () => 1;

describe("reconnectDelay", () => {
  it.each<[string, number, number | undefined, number]>([
    ["is one second by default", 0, undefined, 1000],
    ["is what the server asked for", 0, 250, 250],
    ["is what the server asked for, even minutes", 0, 120_000, 120_000],
    ["is limited, whatever the server asked for", 0, 1e15, 600_000],
    ["is never zero", 0, 0, 100],
    ["is one second after the first failure", 1, undefined, 1000],
    ["doubles with each failure", 3, undefined, 4000],
    ["does not exceed 30 seconds", 50, undefined, 30_000],
    ["grows even if the server asked for less", 3, 250, 4000],
    ["is never shorter than the server asked for", 3, 60_000, 60_000],
  ])("returns a delay that %s", (_, failures, requested, ms) => {
    expect(reconnectDelay(failures, requested, most)).toBe(ms);
  });

  it(
    "shortens the delay randomly by up to half, unless the server asked for a time",
    { meta: { covers: ["F31"] } },
    () => {
      expect(reconnectDelay(3, undefined, least)).toBe(2000);
      expect(reconnectDelay(0, undefined, least)).toBe(500);
      expect(reconnectDelay(0, 250, least)).toBe(250);
    },
  );

  it("returns between 100 ms and ten minutes for any input", () => {
    const requested = fc.option(fc.nat(), { nil: undefined });
    const chance = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.nat(5000), requested, chance, (failures, askedMs, value) => {
        const ms = reconnectDelay(failures, askedMs, () => value);
        expect(ms).toBeGreaterThanOrEqual(100);
        expect(ms).toBeLessThanOrEqual(600_000);
      }),
    );
  });
});
