/** Runs every server scenario of the official conformance suite against the fixture and through the gateway. */
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { explainedMisses } from "./explained-misses.mjs";
import { DIRECT_ROWS, failedScenarios, GATEWAY_ROWS, runRows } from "./matrix.mjs";
import { BRIDGE_PAGE, readPeerResult, renderBridge } from "./bridge-page.mjs";

/** Long enough for all rows: they share a few slots, so a row may have to wait for all others. */
const timeout = 240_000;

let results: ReturnType<typeof runRows>;
beforeAll(() => {
  results = runRows([...GATEWAY_ROWS, ...DIRECT_ROWS]);
});

describe.each(DIRECT_ROWS)("the $era conformance fixture", { timeout }, (row) => {
  it(`passes every server scenario of ${row.revision}`, async () => {
    expect(failedScenarios(await results.get(row)!)).toEqual([]);
  });
});

describe.each(GATEWAY_ROWS)("the gateway in front of a $era $transport server", { timeout }, (row) => {
  const { revision, era, transport } = row;
  const misses = explainedMisses(revision, era, transport);
  const all = misses.length === 0 ? "every server scenario" : "all but the explained server scenarios";

  it(`passes ${all} of ${revision}`, async () => {
    const failed = failedScenarios(await results.get(row)!);
    const problems = failed.filter(({ scenario }) => !misses.includes(scenario));
    expect(problems).toEqual([]);
    expect(failed.map(({ scenario }) => scenario).toSorted()).toEqual(misses.toSorted());
  });
});

it("docs/bridge.md shows which scenarios the gateway passes", { timeout }, async () => {
  const rows = await Promise.all(GATEWAY_ROWS.map(async (row) => [row, await results.get(row)!] as const));
  const page = await readFile(BRIDGE_PAGE, "utf8");
  expect(page, "npm run conformance -- --write").toBe(renderBridge(new Map(rows), await readPeerResult()));
});
