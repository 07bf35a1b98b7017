/** What is required of the host's speed, shown by the results that were committed last. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { rows } from "../judge.mjs";

/** Of ours, on every Node that it was measured on. */
function ours(benchmark: string) {
  const text = readFileSync(new URL(`../results/${benchmark}.json`, import.meta.url), "utf8");
  const result: Parameters<typeof rows>[0] = JSON.parse(text);
  const found = rows(result).filter(({ of }) => of.role === "ours");
  expect(found.length).toBeGreaterThan(0);
  // Fewer rounds say too little.
  for (const { of } of found) expect(of.samples.length).toBeGreaterThanOrEqual(15);
  return { result, found };
}

it(
  "a call over a connection that stays is at least 5.3 times as fast as one with a process of its own",
  { meta: { covers: ["R0.3"] } },
  () => {
    const { result, found } = ours("persistent");
    expect(result).toMatchObject({ unit: "calls/s", target: { better: "higher" } });
    for (const { estimate } of found) expect(estimate?.low).toBeGreaterThanOrEqual(5.3);
  },
);

it(
  "a typical call to a running server takes no more than 8.7 ms, whatever the host does beside",
  { meta: { covers: ["R0.4"] } },
  () => {
    const { result, found } = ours("host-pipeline");
    expect(result.unit).toBe("µs at p50");
    for (const { value } of found) expect(value).toBeLessThanOrEqual(8700);
  },
);

it(
  "connecting a server takes less than a second, the making of the host included",
  { meta: { covers: ["R3.68"] } },
  () => {
    const { result, found } = ours("connect-p95");
    expect(result).toMatchObject({ unit: "ms at p95", target: { of: "value", at: 0.95 } });
    for (const { estimate } of found) expect(estimate?.figure).toBeLessThan(1000);
  },
);

it("the host adds less than 50 ms to a call, also to the slowest", { meta: { covers: ["R3.69"] } }, () => {
  const { result, found } = ours("overhead-p99");
  expect(result).toMatchObject({ unit: "ms at p99", target: { of: "difference", at: 0.99 } });
  for (const { estimate } of found) expect(estimate?.figure).toBeLessThan(50);
});
