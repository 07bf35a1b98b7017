// @ts-check
/** Runs the server scenarios of the conformance suite against the fixture, the gateway and mcp-proxy. */
import { Suite } from "../../../host/test/conformance/suite.mjs";
import { verdict } from "../../../host/test/conformance/verdict.mjs";
import { startFixtureServer, startGateway, startMcpProxy } from "./targets.mjs";

/** @import { Era, Target, Transport } from "./targets.mjs" */

/**
 * @typedef {object} Row one server, reached directly, through the gateway or through mcp-proxy, by clients of one revision
 * @property {"directly" | "gateway" | "mcp-proxy"} through
 * @property {string} revision the revision of the client
 * @property {Era} era the era of the server. A `dual` server has both, and is used in the era of the client
 * @property {Transport} transport the transport of the server
 */

/**
 * @typedef {object} ScenarioResult
 * @property {string} scenario
 * @property {number} passed the number of passed checks
 * @property {readonly string[]} problems empty if the scenario passed
 */

export const REVISIONS = /** @type {const} */ (["2025-11-25", "2026-07-28"]);
const ERAS = /** @type {const} */ (["legacy", "modern", "dual"]);
const TRANSPORTS = /** @type {const} */ (["stdio", "HTTP"]);

/** @type {readonly Row[]} */
export const DIRECT_ROWS = [
  { through: "directly", revision: "2025-11-25", era: "legacy", transport: "HTTP" },
  { through: "directly", revision: "2026-07-28", era: "modern", transport: "HTTP" },
  { through: "directly", revision: "2025-11-25", era: "dual", transport: "HTTP" },
  { through: "directly", revision: "2026-07-28", era: "dual", transport: "HTTP" },
];

/** @type {readonly Row[]} */
export const GATEWAY_ROWS = REVISIONS.flatMap((revision) =>
  ERAS.flatMap((era) =>
    TRANSPORTS.map((transport) => ({ through: /** @type {const} */ ("gateway"), revision, era, transport })),
  ),
);

/** @type {readonly Row[]} */
export const MCP_PROXY_ROWS = GATEWAY_ROWS.flatMap((row) =>
  row.transport === "stdio" && row.era !== "dual" ? [{ ...row, through: "mcp-proxy" }] : [],
);

/** How many endpoints are tested at once. If there were more, a busy machine would exceed the suite's 500 ms. */
const CONCURRENCY = 2;

/**
 * Runs the rows. Rows of the same endpoint run one after another. Returns a promise for each row.
 * @param {readonly Row[]} rows
 */
export function runRows(rows) {
  /** @type {Map<Row, Promise<readonly ScenarioResult[]>>} */
  const results = new Map();
  const endpoints = Object.values(groupBy(rows, endpointOf));
  /** @type {Promise<unknown>[]} */
  const slots = Array.from({ length: CONCURRENCY }, () => Promise.resolve());
  for (const [index, group] of endpoints.entries()) {
    const slot = index % CONCURRENCY;
    const running = /** @type {Promise<unknown>} */ (slots[slot]).then(() => runEndpoint(group));
    slots[slot] = running.catch(() => {});
    for (const row of group)
      results.set(
        row,
        running.then((found) => found.get(row) ?? []),
      );
  }
  return results;
}

/**
 * Returns the key of the endpoint of a row. Rows with a server of both eras share no endpoint, because the gateway is
 * configured for one era.
 * @param {Row} row
 */
function endpointOf({ through, era, transport, revision }) {
  return [through, era, transport, ...(era === "dual" ? [revision] : [])].join(" ");
}

/**
 * @param {readonly Row[]} rows rows of one endpoint
 * @returns {Promise<ReadonlyMap<Row, readonly ScenarioResult[]>>}
 */
async function runEndpoint(rows) {
  const suite = new Suite();
  const target = await start(/** @type {Row} */ (rows[0]));
  const results = new Map();
  try {
    for (const row of rows) results.set(row, await runScenarios(suite, row.revision, target));
  } finally {
    await target.close();
    await suite.close();
  }
  return results;
}

/**
 * @param {Suite} suite
 * @param {string} revision
 * @param {Target} target
 */
async function runScenarios(suite, revision, target) {
  const results = [];
  for (const scenario of await suite.scenariosOf(revision, "server")) {
    const run = await suite.runServerScenario(revision, scenario, target.url);
    results.push({ scenario, ...verdict(scenario, run) });
    await target.reset?.();
  }
  return results;
}

/**
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => string} keyOf
 */
function groupBy(items, keyOf) {
  /** @type {{ [key: string]: T[] }} */
  const groups = {};
  for (const item of items) (groups[keyOf(item)] ??= []).push(item);
  return groups;
}

/**
 * @param {Row} row
 * @returns {Promise<Target>}
 */
function start({ through, era, transport, revision }) {
  switch (through) {
    case "directly":
      return startFixtureServer(era);
    case "gateway":
      return startGateway(era, transport, revision);
    case "mcp-proxy":
      return startMcpProxy(era);
  }
}

/** @param {readonly ScenarioResult[]} results */
export function failedScenarios(results) {
  return results.filter(({ problems }) => problems.length > 0);
}
