// @ts-check
/** The page docs/bridge.md, which is generated from a run of the server scenarios. */
import { readFile, writeFile } from "node:fs/promises";
import { MISSES } from "./explained-misses.mjs";
import { failedScenarios, REVISIONS } from "./matrix.mjs";

/** @import { Row, ScenarioResult } from "./matrix.mjs" */

/**
 * @typedef {object} PeerResult the results of mcp-proxy in the last recorded run
 * @property {string} version
 * @property {readonly { revision: string, era: string, passed: number }[]} rows
 */

export const BRIDGE_PAGE = new URL("../../../../docs/bridge.md", import.meta.url);
const PEER_FILE = new URL("mcp-proxy.json", import.meta.url);

/** @returns {Promise<PeerResult>} */
export async function readPeerResult() {
  return JSON.parse(await readFile(PEER_FILE, "utf8"));
}

/**
 * Writes the page, and the results of mcp-proxy, which the test of the page reads.
 * @param {ReadonlyMap<Row, readonly ScenarioResult[]>} results the rows of the gateway
 * @param {PeerResult} peer
 */
export async function writeBridge(results, peer) {
  await writeFile(PEER_FILE, `${JSON.stringify(peer, null, 2)}\n`);
  await writeFile(BRIDGE_PAGE, renderBridge(results, peer));
}

/**
 * @param {ReadonlyMap<Row, readonly ScenarioResult[]>} results the rows of the gateway
 * @param {PeerResult} peer
 */
export function renderBridge(results, peer) {
  return [
    "# Conformance of the gateway",
    "",
    "This page shows which server scenarios of the official conformance suite (`@modelcontextprotocol/conformance`) pass through the gateway. The server",
    "behind the gateway passes all of them when it is tested directly. Servers are *legacy* (up to 2025-11-25), *modern* (2026-07-28)",
    "or *dual*: of both eras, with `protocol` in their definition set to the era of the client.",
    "",
    "`npm run conformance -- --write` generates this page. `npm test` runs the scenarios of the gateway again. The column of mcp-proxy is from the",
    "recorded run.",
    "",
    "## Scenarios passed",
    "",
    `| client | server | gateway | mcp-proxy ${peer.version} |`,
    "|---|---|---|---|",
    ...[...results].map(([row, result]) => summaryLine(row, result, peer)),
    "",
    "[mcp-proxy](https://github.com/punkpeye/mcp-proxy), which offers one server to HTTP clients, supports only stdio servers.",
    "",
    ...REVISIONS.flatMap((revision) => scenarioList(revision, results)),
    "## Scenarios that can't pass",
    "",
    "These scenarios pass with a modern server. With a legacy server, the specification makes them impossible.",
    "",
    "| scenarios | server | specification | reason |",
    "|---|---|---|---|",
    ...MISSES.map(
      ({ scenarios, era, transport, clause, why }) =>
        `| ${scenarios.join(", ")} | ${[era, transport].filter(Boolean).join(" ")} | ${clause} | ${why} |`,
    ),
    "",
  ].join("\n");
}

/**
 * @param {Row} row
 * @param {readonly ScenarioResult[]} result
 * @param {PeerResult} peer
 */
function summaryLine({ revision, era, transport }, result, peer) {
  const passed = result.length - failedScenarios(result).length;
  const other = transport === "stdio" && peer.rows.find((one) => one.revision === revision && one.era === era);
  const peerCell = other ? `${other.passed} of ${result.length}` : "–";
  return `| ${revision} | ${era} ${transport} | ${passed} of ${result.length} | ${peerCell} |`;
}

/**
 * Names the scenarios that pass with all servers, and shows the others in a table.
 * @param {string} revision
 * @param {ReadonlyMap<Row, readonly ScenarioResult[]>} results
 */
function scenarioList(revision, results) {
  const columns = [...results].filter(([row]) => row.revision === revision);
  const scenarios = columns[0]?.[1].map(({ scenario }) => scenario) ?? [];
  const passesAll = (/** @type {string} */ scenario) => columns.every(([, result]) => passes(scenario, result));
  const passed = scenarios.filter(passesAll);
  const others = scenarios.filter((scenario) => !passesAll(scenario));
  const count = others.length === 0 ? `All ${passed.length}` : `${passed.length} of ${scenarios.length}`;
  return [
    `## Scenarios of ${revision}`,
    "",
    `${count} scenarios pass with all ${columns.length} servers: ${passed.join(", ")}.`,
    "",
    ...(others.length === 0 ? [] : scenarioTable(others, columns)),
  ];
}

/**
 * @param {readonly string[]} scenarios
 * @param {readonly (readonly [Row, readonly ScenarioResult[]])[]} columns
 */
function scenarioTable(scenarios, columns) {
  const cells = (/** @type {string} */ scenario) =>
    columns.map(([, result]) => (passes(scenario, result) ? "yes" : "[no](#scenarios-that-cant-pass)"));
  return [
    `| scenario | ${columns.map(([{ era, transport }]) => `${era} ${transport}`).join(" | ")} |`,
    `|---|${columns.map(() => "---|").join("")}`,
    ...scenarios.map((scenario) => `| ${scenario} | ${cells(scenario).join(" | ")} |`),
    "",
  ];
}

/**
 * @param {string} scenario
 * @param {readonly ScenarioResult[]} result
 */
function passes(scenario, result) {
  return !failedScenarios(result).some((failed) => failed.scenario === scenario);
}
