// @ts-check
/**
 * The client that the conformance suite judges: `node client.mjs <url>`, with the scenario's name in the environment.
 * A connection of this engine and nothing else: whatever is on the wire, the engine put there. The era is not given
 * to it; it has to find out, and ends in failure if what it found is not what the suite runs.
 *
 * Its last line on stdout is its exit status, which the suite itself does not always look at.
 */
import { subscribe } from "node:diagnostics_channel";
import { writeSync } from "node:fs";
import { Connection, Processes, systemClock } from "@plugboard/mcp";
import { acceptWithDefaults, BEHAVIOURS } from "./behaviours.mjs";

/** Less than the suite allows: a client that hangs ends by itself and says so. */
const DEADLINE_MS = 25_000;

process.on("exit", (code) => writeSync(1, `exit ${code}\n`));
subscribe("plugboard.wire", (frame) => {
  const { direction, message } = /** @type {{ direction: string, message: object }} */ (frame);
  writeSync(2, `${direction} ${JSON.stringify(message)}\n`);
});
setTimeout(() => {
  writeSync(2, `not done after ${DEADLINE_MS} ms\n`);
  process.exit(1);
}, DEADLINE_MS).unref();

const [, , url] = process.argv;
const {
  MCP_CONFORMANCE_SCENARIO: scenario = "",
  MCP_CONFORMANCE_PROTOCOL_VERSION: revision = "",
  MCP_CONFORMANCE_CONTEXT: context = "{}",
} = process.env;
const behave = BEHAVIOURS[scenario];
if (url === undefined) throw new Error("usage: client.mjs <url>");
if (!behave) throw new Error(`there is no behaviour for the scenario "${scenario}"`);

const connection = new Connection({
  server: scenario,
  target: { transport: "http", url, headers: {} },
  processes: new Processes(systemClock),
  clock: systemClock,
  identity: { name: "plugboard-conformance", version: "0.0.0" },
  startupTimeoutMs: 10_000,
  requestTimeoutMs: 10_000,
  eras: { get: () => undefined, set: () => {} },
  onStrayAsk: (ask) => Promise.resolve(acceptWithDefaults(ask)),
  onChanged: () => {},
  lends: { roots: () => [{ uri: "file:///tmp" }], sampling: true },
});
try {
  const session = await connection.ready();
  const expected = revision >= "2026-07-28" ? "modern" : "legacy";
  if (session.era !== expected) throw new Error(`the era is ${session.era}, the suite runs ${revision}`);
  await behave({ session, tools: connection.catalog.tools, context: JSON.parse(context) });
} finally {
  await connection.stop();
}
