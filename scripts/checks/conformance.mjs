// @ts-check
/**
 * Runs the official conformance suite: the client scenarios against a host, and the server scenarios against the
 * gateway and, for comparison, mcp-proxy. Prints the results. `--client` and `--server` run only the scenarios of that
 * side. `--write` runs the server scenarios and writes docs/bridge.md.
 */
import { parseArgs } from "node:util";
import { installLongPackages } from "../test-runner/long-packages.mjs";
import { prepare } from "../build/prepare.mjs";

/** Maximum length of each printed line of the client's log. */
const MAX_LINE = 400;

const { values } = parseArgs({
  options: { client: { type: "boolean" }, server: { type: "boolean" }, write: { type: "boolean" } },
});

process.exitCode =
  (await prepare()) ||
  (values.server || values.write ? 0 : await runClientScenarios()) ||
  (values.client ? 0 : installLongPackages() || (await runServerScenarios()));

async function runClientScenarios() {
  const { runClient } = await import("../../packages/host/test/conformance/client.mjs");
  const { REVISIONS, Suite } = await import("../../packages/host/test/conformance/suite.mjs");
  const { verdict } = await import("../../packages/host/test/conformance/verdict.mjs");
  const suite = new Suite();
  const judged = [];
  for (const revision of REVISIONS) {
    for (const scenario of await suite.scenariosOf(revision)) {
      const run = await suite.runScenario(revision, scenario, runClient);
      judged.push({ revision, scenario, run, ...verdict(scenario, run) });
    }
  }
  await suite.close();
  console.table(
    judged.map(({ revision, scenario, passed, problems }) => ({
      revision,
      scenario,
      "checks passed": passed,
      result: problems.length === 0 ? "passed" : "FAILED",
    })),
  );
  const failed = judged.filter(({ problems }) => problems.length > 0);
  for (const { revision, scenario, problems, run } of failed) {
    console.log(`\n${revision} ${scenario}`, ...problems.map((problem) => `\n  ${problem}`));
    for (const line of run.log.trimEnd().split("\n")) console.log("   ", line.slice(0, MAX_LINE));
  }
  console.log(`${judged.length - failed.length} of ${judged.length} scenarios passed`);
  return failed.length > 0 ? 1 : 0;
}

/** Fails if the gateway fails a scenario without an explanation, or passes fewer scenarios than mcp-proxy. */
async function runServerScenarios() {
  const matrix = await import("../../packages/daemon/test/conformance/matrix.mjs");
  const { explainedMisses } = await import("../../packages/daemon/test/conformance/explained-misses.mjs");
  const { DIRECT_ROWS, failedScenarios, GATEWAY_ROWS, MCP_PROXY_ROWS } = matrix;
  const rows = [...DIRECT_ROWS, ...GATEWAY_ROWS, ...MCP_PROXY_ROWS];
  const running = matrix.runRows(rows);
  /** @type {Map<import("../../packages/daemon/test/conformance/matrix.mjs").Row, readonly import("../../packages/daemon/test/conformance/matrix.mjs").ScenarioResult[]>} */
  const results = new Map();
  for (const row of rows) results.set(row, (await running.get(row)) ?? []);
  const summary = [...results].map(([row, result]) => ({
    ...row,
    scenarios: result.length,
    passed: result.length - failedScenarios(result).length,
    checks: result.reduce((sum, { passed }) => sum + passed, 0),
  }));
  console.table(summary);
  let problems = 0;
  for (const [row, result] of results) {
    const explained = explainedMisses(row.revision, row.era, row.transport);
    for (const failed of failedScenarios(result)) {
      console.log(`${row.through}, ${row.era} ${row.transport} server, ${row.revision}: ${failed.scenario} failed`);
      if (row.through === "mcp-proxy" || (row.through === "gateway" && explained.includes(failed.scenario))) continue;
      for (const problem of failed.problems) console.log(`  ${problem}`);
      problems++;
    }
  }
  const peerRows = summary.filter(({ through }) => through === "mcp-proxy");
  for (const { revision, era, transport, passed } of peerRows) {
    const own = summary.find(
      (one) => one.through === "gateway" && one.revision === revision && one.era === era && one.transport === transport,
    );
    if (own && own.passed < passed) problems++;
  }
  if (values.write) {
    const { mcpProxyVersion } = await import("../../packages/daemon/test/conformance/targets.mjs");
    const { writeBridge } = await import("../../packages/daemon/test/conformance/bridge-page.mjs");
    const gateway = new Map(GATEWAY_ROWS.map((row) => [row, results.get(row) ?? []]));
    const passedByPeer = peerRows.map(({ revision, era, passed }) => ({ revision, era, passed }));
    await writeBridge(gateway, { version: await mcpProxyVersion(), rows: passedByPeer });
  }
  return problems > 0 ? 1 : 0;
}
