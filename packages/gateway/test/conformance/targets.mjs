// @ts-check
/** Starts what the server scenarios of the conformance suite run against: the fixture itself, or the gateway in front of it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownerToken, startDaemon } from "@plugboard/daemon";
import { conformanceStdio, startConformanceHttp } from "@plugboard/testkit/start-server";
import { startTokenRelay } from "./token-relay.mjs";

/**
 * @typedef {object} Target a running endpoint
 * @property {string} url
 * @property {() => Promise<void>} close
 */

/** @typedef {"legacy" | "modern"} Era */
/** @typedef {"stdio" | "HTTP"} Transport */

/**
 * Starts the gateway in front of the fixture. Its tools have their own names, as the suite expects.
 * @param {Era} era
 * @param {Transport} transport
 * @returns {Promise<Target>}
 */
export async function startGateway(era, transport) {
  const server = transport === "HTTP" ? await startConformanceHttp(era) : undefined;
  const folder = await mkdtemp(join(tmpdir(), "plugboard-conformance-"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    XDG_STATE_HOME: join(folder, "state"),
    PLUGBOARD_CONFIG_PATH: join(folder, "config.json"),
  };
  const it = server ? { url: server.url } : conformanceStdio(era);
  const config = { mcp: { servers: { it }, permissions: { allow: ["*"] }, naming: "{tool}" } };
  await writeFile(env.PLUGBOARD_CONFIG_PATH, JSON.stringify(config));
  const daemon = await startDaemon({ port: 0, env, spec: { cwd: folder } });
  const { errors } = await daemon.workspace.start();
  if (Object.keys(errors).length > 0) throw new Error(JSON.stringify(errors));
  const relay = await startTokenRelay(`${daemon.endpoint}/mcp`, await ownerToken(env));
  return {
    url: relay.url,
    async close() {
      await relay.close();
      await daemon.stop();
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
