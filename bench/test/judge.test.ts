import { describe, expect, it } from "vitest";
import { objections, regressions, rows } from "../judge.mjs";
import { table } from "../report.mjs";

type Result = Parameters<typeof rows>[0];
type Samples = { readonly [title: string]: readonly number[] };

/** Contestants of one Node, by how they did in each round. */
function on(node: string, samples: Samples): Result["contestants"] {
  return Object.entries(samples).map(([title, own]) => ({
    contestant: title,
    title,
    role: title === "raw" ? "baseline" : title === "ours" ? "ours" : "peer",
    node,
    samples: [...own],
  }));
}

function result(contestants: Result["contestants"], better: "lower" | "higher" = "lower"): Result {
  const target = { limit: better === "lower" ? 1.2 : 0.9, better };
  const circumstances = { date: "2026-01-01", commit: "abc", machine: "2 × some", seed: 1 };
  return { name: "some", title: "Something", unit: "µs", target, ...circumstances, contestants };
}

const steady = (value: number) => Array.from({ length: 15 }, (_, round) => value * (1 + (round % 3) / 100));

describe("a row", () => {
  it("compares with the baseline of the same Node", () => {
    const [, ours20, , ours22] = rows(
      result([
        ...on("v20.1.0", { raw: steady(10), ours: steady(11) }),
        ...on("v22.1.0", { raw: steady(20), ours: steady(40) }),
      ]),
    );
    expect(ours20).toMatchObject({ verdict: "met" });
    expect(ours20?.ratio?.median).toBeCloseTo(1.1);
    expect(ours22).toMatchObject({ verdict: "missed" });
    expect(ours22?.ratio?.median).toBeCloseTo(2);
  });

  it("says of a peer that failed why, and no figure", () => {
    const [raw, peer] = on("v20.1.0", { raw: steady(10), peer: [10] });
    const text = table(result([raw!, { ...peer!, failed: "connection closed" }]));
    expect(text).toContain("| peer | v20.1.0 | – | – | – | failed: connection closed |");
  });
});

describe("a run does not count", () => {
  it("if a peer is faster than raw", () => {
    const contestants = on("v20.1.0", { raw: steady(10), ours: steady(9), peer: steady(9) });
    expect(objections(result(contestants))).toEqual(["some: peer is faster than raw (0.90)"]);
    expect(objections(result(contestants, "higher"))).toEqual([]);
  });
});

describe("a regression", () => {
  const before = result(on("v20.1.0", { raw: steady(10), ours: steady(12), peer: steady(15) }));

  it("is ours being over 10 % worse, relative to raw", () => {
    const worse = result(on("v20.9.0", { raw: steady(10), ours: steady(14), peer: steady(15) }));
    expect(regressions(worse, before)).toEqual(["some: ours on Node v20.9.0 is 17 % worse (1.20 → 1.40)"]);
    const slowMachine = result(on("v20.1.0", { raw: steady(100), ours: steady(125), peer: steady(900) }));
    expect(regressions(slowMachine, before)).toEqual([]);
  });

  it("is not told where nothing was committed", () => {
    expect(regressions(before, undefined)).toEqual([]);
    const elsewhere = result(on("v22.1.0", { raw: steady(10), ours: steady(30) }));
    expect(regressions(elsewhere, before)).toEqual([]);
  });
});
