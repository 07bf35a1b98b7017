/** Compares what the gateway passes with what the npm package mcp-proxy passes in the same run. */
import { beforeAll, expect, it } from "vitest";
import { failedScenarios, GATEWAY_ROWS, MCP_PROXY_ROWS, runRows } from "./matrix.mjs";

let results: ReturnType<typeof runRows>;
beforeAll(() => {
  results = runRows([...GATEWAY_ROWS, ...MCP_PROXY_ROWS]);
});

const passedBy = async (row: (typeof GATEWAY_ROWS)[number]) => {
  const all = await results.get(row)!;
  return all.length - failedScenarios(all).length;
};

it.each(MCP_PROXY_ROWS)(
  "the gateway passes no fewer scenarios of $revision than mcp-proxy in front of a $era stdio server",
  { timeout: 240_000 },
  async (row) => {
    const isSameServer = (one: typeof row) =>
      one.revision === row.revision && one.era === row.era && one.transport === row.transport;
    expect(await passedBy(GATEWAY_ROWS.find(isSameServer)!)).toBeGreaterThanOrEqual(await passedBy(row));
  },
);
