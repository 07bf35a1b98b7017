// @ts-check
/**
 * The command-line mode of the MCP inspector. Its second command, `mcpdo`, has a daemon that keeps connections open.
 */
import { join } from "node:path";
import { folder } from "../install.mjs";
import { installed } from "./command.mjs";

/** @typedef {import("./command.mjs").CommandHome} CommandHome */

const packageFolder = join(folder, "node_modules", "@modelcontextprotocol", "inspector");
const { version, script } = installed(packageFolder, "mcp-inspector");
const { script: mcpdo } = installed(packageFolder, "mcpdo");

export { version };

/**
 * @param {CommandHome} home
 * @param {import("./command.mjs").Servers} mcpServers
 */
export const configure = (home, mcpServers) => home.write(".mcp-inspector/mcp.json", { mcpServers });

/** @param {CommandHome} home */
export const printVersion = (home) => home.run(script, "--version");

/** @param {CommandHome} home */
export async function listServers(home) {
  /** @type {{ result: { servers: { name: string }[] } }} */
  const { result } = JSON.parse(await home.run(script, "--cli", "--method", "servers/list", "--format", "json"));
  return result.servers.map(({ name }) => name);
}

/**
 * @param {CommandHome} home
 * @param {string} text
 */
export async function call(home, text) {
  const tool = ["--method", "tools/call", "--tool-name", "echo", "--tool-arg", `text=${text}`, "--format", "json"];
  return JSON.parse(await home.run(script, "--cli", "--server", "bench", ...tool)).result;
}

/** @param {CommandHome} home */
export async function keepOpen(home) {
  await home.run(mcpdo, "connect", "bench");
  return () => home.run(mcpdo, "daemon", "stop");
}

/**
 * @param {CommandHome} home
 * @param {string} text
 */
export const callOpen = async (home, text) =>
  JSON.parse(
    await home.run(mcpdo, "--format", "json", "--connection", "bench", "tools/call", "echo", JSON.stringify({ text })),
  );
