/** Tests which settings apply to a connection that workspaces with different settings share. */
import { combineSettings } from "#pool/combine-settings.js";
import { COMBINED_KEYS } from "@plugboard/config";
import type { ConnectionSettings } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";

const base: ConnectionSettings = { startupTimeoutMs: 10, requestTimeoutMs: 20 };
/** Each key of the settings, so that a new one needs a rule. */
const SETTINGS: { readonly [Key in keyof Required<ConnectionSettings>]: true } = {
  startupTimeoutMs: true,
  requestTimeoutMs: true,
  healthIntervalMs: true,
  start: true,
  idleStopMs: true,
  retry: true,
};

describe("combineSettings", () => {
  it.each<[string, Partial<ConnectionSettings>, Partial<ConnectionSettings>, Partial<ConnectionSettings>]>([
    ["the longest startup timeout", { startupTimeoutMs: 50 }, {}, { startupTimeoutMs: 50 }],
    ["the longest request timeout", { requestTimeoutMs: 50 }, {}, { requestTimeoutMs: 50 }],
    [
      "the longest interval of health checks",
      { healthIntervalMs: 5 },
      { healthIntervalMs: 9 },
      { healthIntervalMs: 9 },
    ],
    ["no health checks if one has none", { healthIntervalMs: 0 }, { healthIntervalMs: 9 }, { healthIntervalMs: 0 }],
    ["the interval of the one that sets it", { healthIntervalMs: 5 }, {}, { healthIntervalMs: 5 }],
    ["the longest time until an idle server stops", { idleStopMs: 9 }, { idleStopMs: 5 }, { idleStopMs: 9 }],
    ["no stop of an idle server if one wants none", { idleStopMs: 0 }, { idleStopMs: 5 }, { idleStopMs: 0 }],
    ["no stop of an idle server if one does not set it", {}, { idleStopMs: 5 }, { idleStopMs: 0 }],
    ["an eager start", { start: "eager" }, { start: "lazy" }, { start: "eager" }],
    ["no retries if one wants none", { retry: "never" }, { retry: "safe" }, { retry: "never" }],
  ])("returns %s, in either order", (_, first, second, expected) => {
    const both = [
      { ...base, ...first },
      { ...base, ...second },
    ];
    expect(combineSettings(both)).toMatchObject(expected);
    expect(combineSettings(both.toReversed())).toMatchObject(expected);
  });

  it("returns the settings of a single workspace as they are", () => {
    expect(combineSettings([base])).toBe(base);
    expect(combineSettings([])).toBeUndefined();
  });

  it("has a rule for each setting", () => {
    expect([...COMBINED_KEYS.keys()].toSorted()).toEqual(Object.keys(SETTINGS).toSorted());
  });
});
