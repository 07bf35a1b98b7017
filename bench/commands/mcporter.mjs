// @ts-check
/** The `mcporter` command. Its daemon keeps the connections to servers with the lifecycle `keep-alive` open. */
import { join } from "node:path";
import { folder } from "../install.mjs";
import { installed } from "./command.mjs";

/** @typedef {import("./command.mjs").CommandHome} CommandHome */

const { version, script } = installed(join(folder, "node_modules", "mcporter"), "mcporter");

export { version };

/**
 * @param {CommandHome} home
 * @param {import("./command.mjs").Servers} servers
 * @param {boolean} keepAlive
 */
export function configure(home, servers, keepAlive) {
  const lifecycle = keepAlive ? "keep-alive" : "ephemeral";
  const entries = Object.entries(servers).map(([id, server]) => [id, { ...server, lifecycle }]);
  home.write("config/mcporter.json", { mcpServers: Object.fromEntries(entries) });
}

/** @param {CommandHome} home */
export const printVersion = (home) => home.run(script, "--version");

/** @param {CommandHome} home */
export async function listServers(home) {
  /** @type {{ servers: { name: string }[] }} */
  const { servers } = JSON.parse(await home.run(script, "config", "list", "--json"));
  return servers.map(({ name }) => name);
}

/**
 * @param {CommandHome} home
 * @param {string} text
 */
export const call = async (home, text) =>
  JSON.parse(await home.run(script, "call", "bench.echo", `text=${text}`, "--output", "json"));

/** @param {CommandHome} home */
export async function keepOpen(home) {
  await home.run(script, "daemon", "start");
  return () => home.run(script, "daemon", "stop");
}

export { call as callOpen };

/** @param {CommandHome} home */
export const openBridge = (home) => home.initialize(script, "serve", "--stdio");
