import { describe, expect, it } from "vitest";
import { objections, regressions, rows } from "../judge.mjs";
import { table } from "../report.mjs";

type Result = Parameters<typeof rows>[0];
type Samples = { readonly [title: string]: readonly number[] };

/** Makes the contestants of one Node from their samples. */
function on(node: string, samples: Samples): Result["contestants"] {
  return Object.entries(samples).map(([title, own]) => ({
    contestant: title,
    title,
    role: title === "raw" ? "baseline" : title === "ours" ? "ours" : "peer",
    node,
    samples: [...own],
  }));
}

function result(contestants: Result["contestants"], aim: "lower" | "higher" | Result["target"] = "lower"): Result {
  const target = typeof aim === "string" ? { limit: aim === "lower" ? 1.2 : 0.9, better: aim } : aim;
  const circumstances = { date: "2026-01-01", commit: "abc", machine: "2 × some", seed: 1 };
  return { name: "some", title: "Something", unit: "µs", target, ...circumstances, contestants };
}

const steady = (value: number) => Array.from({ length: 15 }, (_, round) => value * (1 + (round % 3) / 100));

describe("judge", () => {
  it("compares each contestant with the baseline on the same Node", () => {
    const [, ours20, , ours22] = rows(
      result([
        ...on("v20.1.0", { raw: steady(10), ours: steady(11) }),
        ...on("v22.1.0", { raw: steady(20), ours: steady(40) }),
      ]),
    );
    expect(ours20).toMatchObject({ verdict: "met" });
    expect(ours20?.estimate?.figure).toBeCloseTo(1.1);
    expect(ours22).toMatchObject({ verdict: "missed" });
    expect(ours22?.estimate?.figure).toBeCloseTo(2);
  });

  it("gives the reason and no figure for a failed peer", () => {
    const [raw, peer] = on("v20.1.0", { raw: steady(10), peer: [10] });
    const text = table(result([raw!, { ...peer!, failed: "connection closed" }]));
    expect(text).toContain("| peer | v20.1.0 | – | – | – | failed: connection closed |");
  });
});

describe("a target that is not a ratio", () => {
  const samples = on("v20.1.0", { raw: steady(10), ours: steady(25) });

  it("may be the difference to the baseline", () => {
    const some = result(samples, { of: "difference", limit: 20, better: "lower" });
    const [, ours] = rows(some);
    expect(ours).toMatchObject({ verdict: "met" });
    expect(ours?.estimate?.figure).toBeCloseTo(15.15);
    const text = table(some);
    expect(text).toContain("| contestant | Node | µs | − raw | 95 % | |");
    expect(text).toContain("| raw | v20.1.0 | 10.1 | 0 |  |  |");
    expect(text).toMatch(/\| ours \| v20\.1\.0 \| 25\.3 \| 15\.2 \| .* \| met \|/);
  });

  it("may be a plain value, at a given quantile", () => {
    const rounds = Array.from({ length: 101 }, (_, round) => round);
    const alone = on("v20.1.0", { ours: rounds });
    const some = result(alone, { of: "value", limit: 99, better: "lower", at: 0.95 });
    expect(rows(some)).toMatchObject([{ value: 95, estimate: { figure: 95 } }]);
    expect(table(some)).toContain(
      "| contestant | Node | µs | 95 % | |\n|---|---|---|---|---|\n| ours | v20.1.0 | 95.0 |",
    );
  });

  it("reports a plain value with its ratio to the baseline", () => {
    const some = result(samples, { of: "value", limit: 30, better: "lower" });
    expect(rows(some)[1]).toMatchObject({ verdict: "met", ratio: 2.5 });
    const text = table(some);
    expect(text).toContain("| contestant | Node | µs | 95 % | ÷ raw | |");
    expect(text).toMatch(/\| raw \| v20\.1\.0 \| 10\.1 \| [^|]* \| 1 \|  \|/);
    expect(text).toMatch(/\| ours \| v20\.1\.0 \| 25\.3 \| [^|]* \| 2\.50 \| met \|/);
  });

  it("may have no limit, and is then only reported", () => {
    const some = result(samples, { of: "value", better: "lower" });
    expect(rows(some).map(({ verdict }) => verdict)).toEqual([undefined, undefined]);
    expect(table(some)).toContain("Something; no target.");
  });

  it("is a regression only against a result of the same machine, and only beyond the interval", () => {
    const target = { of: "value", better: "lower" } as const;
    const [before, now] = [10, 12].map((value) => result(on("v20.1.0", { ours: steady(value) }), target));
    expect(regressions(now!, [before!])).toHaveLength(1);
    expect(regressions({ ...now!, machine: "another" }, [before!])).toEqual([]);
    const shaky = Array.from({ length: 15 }, (_, round) => (round % 2 ? 8 : 12));
    expect(regressions(result(on("v20.1.0", { ours: shaky }), target), [before!])).toEqual([]);
  });
});

describe("a run", () => {
  it("is invalid if a peer is faster than raw", () => {
    const contestants = on("v20.1.0", { raw: steady(10), ours: steady(9), peer: steady(9) });
    expect(objections(result(contestants))).toEqual(["some: peer is faster than raw (0.90)"]);
    expect(objections(result(contestants, "higher"))).toEqual([]);
  });

  it("is valid if raw is the fastest", () => {
    const beside = on("v20.1.0", { ours: steady(9), peer: steady(8) });
    expect(objections(result(beside, { of: "value", better: "lower" }))).toEqual([]);
    const less = on("v20.1.0", { raw: steady(10), ours: steady(11), peer: steady(9) });
    const target = { of: "difference", better: "lower" } as const;
    expect(objections(result(less, target))).toEqual(["some: peer is faster than raw (-1.01)"]);
  });
});

describe("a regression", () => {
  const before = result(on("v20.1.0", { raw: steady(10), ours: steady(12), peer: steady(15) }));

  it("is a figure of Plugboard that is more than 10 % worse relative to raw", () => {
    const worse = result(on("v20.9.0", { raw: steady(10), ours: steady(14), peer: steady(15) }));
    expect(regressions(worse, [before])).toEqual(["some: ours on Node v20.9.0 is 17 % worse (1.20 at abc → 1.40)"]);
    const slowMachine = result(on("v20.1.0", { raw: steady(100), ours: steady(125), peer: steady(900) }));
    expect(regressions(slowMachine, [before])).toEqual([]);
  });

  it("is a loss against the best committed result, not only against the last one", () => {
    const losses = [12, 12.6, 13.2].map((value) => result(on("v20.1.0", { raw: steady(10), ours: steady(value) })));
    const now = result(on("v20.1.0", { raw: steady(10), ours: steady(13.8) }));
    expect(regressions(now, losses.slice(2))).toEqual([]);
    expect(regressions(now, losses.toReversed())).toEqual([
      "some: ours on Node v20.1.0 is 15 % worse (1.20 at abc → 1.38)",
    ]);
    expect(regressions({ ...now, title: "Something else" }, losses)).toEqual([]);
  });

  it("is not reported without a committed result", () => {
    expect(regressions(before, [])).toEqual([]);
    const elsewhere = result(on("v22.1.0", { raw: steady(10), ours: steady(30) }));
    expect(regressions(elsewhere, [before])).toEqual([]);
  });
});
