// @ts-check
/** The page docs/bridge.md, which is generated from a run of the server scenarios. */
import { readFile, writeFile } from "node:fs/promises";
import { MISSES } from "./explained-misses.mjs";
import { failedScenarios, REVISIONS } from "./matrix.mjs";

/** @import { Row, ScenarioResult } from "./matrix.mjs" */

/**
 * @typedef {object} PeerResult what mcp-proxy passed in the last recorded run
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
 * Writes the page, and what mcp-proxy passed for the next tests of the page.
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
    "# What the gateway passes on",
    "",
    "The server scenarios of the official conformance suite (`@modelcontextprotocol/conformance`), run against the gateway in front of a server",
    "that passes all of them by itself. `npm run conformance -- --write` has generated this page; `npm test` repeats the runs of the gateway.",
    "",
    "## Scenarios passed",
    "",
    `| client | server | gateway | mcp-proxy ${peer.version} |`,
    "|---|---|---|---|",
    ...[...results].map(([row, result]) => summaryLine(row, result, peer)),
    "",
    "mcp-proxy can only be put in front of stdio servers.",
    "",
    ...REVISIONS.flatMap((revision) => scenarioTable(revision, results)),
    "## What can't pass",
    "",
    "A client of the modern revision gets these from a modern server, but not from a legacy one.",
    "",
    "| scenario | server | clause | reason |",
    "|---|---|---|---|",
    ...MISSES.map(
      ({ scenario, era, transport, clause, why }) =>
        `| ${scenario} | ${[era, transport].filter(Boolean).join(" ")} | ${clause} | ${why} |`,
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
 * @param {string} revision
 * @param {ReadonlyMap<Row, readonly ScenarioResult[]>} results
 */
function scenarioTable(revision, results) {
  const columns = [...results].filter(([row]) => row.revision === revision);
  const scenarios = columns[0]?.[1].map(({ scenario }) => scenario) ?? [];
  return [
    `## Scenarios of ${revision}`,
    "",
    `| scenario | ${columns.map(([{ era, transport }]) => `${era} ${transport}`).join(" | ")} |`,
    `|---|${columns.map(() => "---|").join("")}`,
    ...scenarios.map(
      (scenario) => `| ${scenario} | ${columns.map(([, result]) => mark(scenario, result)).join(" | ")} |`,
    ),
    "",
  ];
}

/**
 * @param {string} scenario
 * @param {readonly ScenarioResult[]} result
 */
function mark(scenario, result) {
  return failedScenarios(result).some((failed) => failed.scenario === scenario) ? "[no](#what-cant-pass)" : "yes";
}
