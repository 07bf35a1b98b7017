// @ts-check
/**
 * Starts the endpoints that the server scenarios of the conformance suite test: the fixture itself, or the gateway or
 * mcp-proxy in front of it.
 */
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ownerToken } from "@plugboard/host/tokens";
import { startDaemon } from "@plugboard/daemon";
import { startFixture } from "@plugboard/testkit/fixture-process";
import { freePort } from "@plugboard/testkit/free-port";
import { conformanceStdio, startConformanceHttp } from "@plugboard/testkit/start-server";
import { startTokenRelay } from "./token-relay.mjs";

/**
 * @typedef {object} Target a running endpoint
 * @property {string} url
 * @property {() => Promise<void>} [reset] ends what the last scenario left open
 * @property {() => Promise<void>} close
 */

const START_TIMEOUT_MS = 30_000;
const POLL_MS = 100;

/** @typedef {"legacy" | "modern" | "dual"} Era */
/** @typedef {"stdio" | "HTTP"} Transport */

/**
 * Starts the gateway in front of the fixture. Tools keep their names, without a prefix, as the suite expects.
 * @param {Era} era
 * @param {Transport} transport
 * @param {string} revision the revision of the client
 * @returns {Promise<Target>}
 */
export async function startGateway(era, transport, revision) {
  const server = transport === "HTTP" ? await startConformanceHttp(era) : undefined;
  const folder = await mkdtemp(join(tmpdir(), "plugboard-conformance-"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    XDG_STATE_HOME: join(folder, "state"),
    PLUGBOARD_CONFIG_PATH: join(folder, "config.json"),
  };
  const protocol = era === "dual" ? (revision < "2026" ? "legacy" : "modern") : "auto";
  const it = { protocol, ...(server ? { url: server.url } : conformanceStdio(era)) };
  const profiles = { bare: { servers: ["it"], naming: "{tool}" } };
  const config = { mcp: { servers: { it }, permissions: { allow: ["*"] }, profiles } };
  await writeFile(env.PLUGBOARD_CONFIG_PATH, JSON.stringify(config));
  const daemon = await startDaemon({ port: 0, env, spec: { cwd: folder } });
  const { errors } = await daemon.workspace.start();
  if (Object.keys(errors).length > 0) throw new Error(JSON.stringify(errors));
  const relay = await startTokenRelay(`${daemon.endpoint}/mcp/p/bare`, await ownerToken(env));
  const openCalls = followOpenCalls(daemon);
  return {
    url: relay.url,
    async reset() {
      if (openCalls.size === 0) return;
      await daemon.workspace.servers.reconnect("it");
      openCalls.clear();
    },
    async close() {
      await relay.close();
      await daemon.stop();
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Returns the ids of the calls that have not ended. Some scenarios leave a question unanswered. A legacy stdio server
 * does not say which call a question belongs to, so the next calls would wait. `reset` reconnects the server then.
 * @param {import("@plugboard/daemon").Daemon} daemon
 */
function followOpenCalls(daemon) {
  const open = new Set();
  void (async () => {
    for await (const event of daemon.events()) {
      if (event.type === "call.started") open.add(event.call);
      if (event.type === "call.ended") open.delete(event.call);
    }
  })();
  return open;
}

/** Not a package of the workspace: `npm run test:long` and `npm run conformance` install it. */
const MCP_PROXY = new URL("../../../testkit/long/node_modules/mcp-proxy/", import.meta.url);

/**
 * Starts the npm package mcp-proxy, which serves only stdio servers, in front of the fixture.
 * @param {Era} era
 * @returns {Promise<Target>}
 */
export async function startMcpProxy(era) {
  const port = await freePort();
  const { command, args } = conformanceStdio(era);
  const options = ["--host", "127.0.0.1", "--port", String(port), "--server", "stream", "--upstreamProtocol", era];
  const proxy = startFixture({
    command: process.execPath,
    args: [fileURLToPath(new URL("dist/bin/mcp-proxy.mjs", MCP_PROXY)), ...options, "--", command, ...args],
  });
  await untilListening(port);
  return { url: `http://127.0.0.1:${port}/mcp`, close: () => proxy.close("SIGTERM") };
}

/** @returns {Promise<string>} */
export async function mcpProxyVersion() {
  return JSON.parse(await readFile(new URL("package.json", MCP_PROXY), "utf8")).version;
}

/**
 * Resolves when the port accepts connections. Tries to connect, because mcp-proxy prints nothing when it listens.
 * @param {number} port
 */
async function untilListening(port) {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const connected = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (connected) return;
    if (Date.now() > deadline) throw new Error(`nothing listens on port ${port}`);
    await delay(POLL_MS);
  }
}

/**
 * Starts the fixture without anything in front of it.
 * @param {Era} era
 * @returns {Promise<Target>}
 */
export function startFixtureServer(era) {
  return startConformanceHttp(era);
}
