// @ts-check
/**
 * The `mcpc` command of Apify. It calls tools only over a session, which it opens and closes with separate commands.
 */
import { join } from "node:path";
import { folder } from "../install.mjs";
import { installed } from "./command.mjs";

/** @typedef {import("./command.mjs").CommandHome} CommandHome */

const { version, script } = installed(join(folder, "node_modules", "@apify", "mcpc"), "mcpc");

export { version };

/**
 * @param {CommandHome} home
 * @param {import("./command.mjs").Servers} mcpServers
 */
export const configure = (home, mcpServers) => home.write("mcp.json", { mcpServers });

/** @param {CommandHome} home */
export const printVersion = (home) => home.run(script, "--version");

/**
 * @param {CommandHome} home
 * @param {string} text
 */
export async function call(home, text) {
  const close = await keepOpen(home);
  const result = await callOpen(home, text);
  await close();
  return result;
}

/** @param {CommandHome} home */
export async function keepOpen(home) {
  await home.run(script, "connect", "mcp.json:bench", "@bench");
  return () => home.run(script, "close", "@bench");
}

/**
 * @param {CommandHome} home
 * @param {string} text
 */
export const callOpen = async (home, text) =>
  JSON.parse(await home.run(script, "--json", "@bench", "tools-call", "echo", JSON.stringify({ text })));
