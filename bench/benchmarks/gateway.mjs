// @ts-check
/** Benchmarks of the gateway: many clients in front of one or several stdio servers. */

const GATEWAYS = [
  ...["bare-proxy", "plugboard-gateway", "mcp-proxy", "mcp-hub", "supergateway"],
  // Executor is a program for one platform only.
  ...(process.platform === "linux" && process.arch === "x64" ? ["executor"] : []),
];

/** @type {readonly import("../benchmarks.mjs").Benchmark[]} */
export const GATEWAY_BENCHMARKS = [
  ...[1, 16, 64].map((clients) => ({
    name: `gateway-${clients}`,
    title: `Calls of ${clients === 1 ? "one client" : `${clients} clients`} through a gateway to one stdio server`,
    unit: "calls/s",
    target: /** @type {const} */ ({ limit: 0.8, better: "higher" }),
    contestants: GATEWAYS,
    workload: "gateway",
    settings: { clients, calls: clients === 1 ? 300 : 1000 },
    rounds: 31,
    warmups: 4,
  })),
  {
    name: "gateway-memory",
    title: "Memory of a gateway with 10 clients, each of which has called 5 servers",
    unit: "MB",
    target: { limit: 120, of: "value", better: "lower" },
    contestants: GATEWAYS.slice(1),
    workload: "gateway-memory",
    settings: { clients: 10, servers: 5 },
    rounds: 15,
    warmups: 0,
  },
  {
    name: "gateway-processes",
    title: "Server processes behind a gateway with 10 clients, each of which has called 5 servers",
    unit: "processes",
    target: { limit: 5, of: "value", better: "lower" },
    contestants: GATEWAYS.slice(1),
    workload: "gateway-memory",
    settings: { clients: 10, servers: 5, counts: "servers" },
    rounds: 15,
    warmups: 0,
  },
];
