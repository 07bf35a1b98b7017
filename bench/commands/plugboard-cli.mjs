// @ts-check
/** The `plugboard` command. A call goes to the running host if there is one, and otherwise starts a host of its own. */
import { join } from "node:path";
import { checkout } from "../checkout.mjs";
import { installed } from "./command.mjs";

/** @typedef {import("./command.mjs").CommandHome} CommandHome */

const { version, script } = installed(join(checkout, "packages", "cli"), "plugboard");

export { version };

/**
 * @param {CommandHome} home
 * @param {import("./command.mjs").Servers} mcpServers
 */
export const configure = (home, mcpServers) => home.write("config/plugboard/config.json", { mcpServers });

/** @param {CommandHome} home */
export const printVersion = (home) => home.run(script, "--version");

/** @param {CommandHome} home */
export async function listServers(home) {
  /** @type {{ id: string }[]} */
  const servers = JSON.parse(await home.run(script, "list", "--json"));
  return servers.map(({ id }) => id);
}

/**
 * @param {CommandHome} home
 * @param {string} text
 */
export const call = async (home, text) =>
  JSON.parse(await home.run(script, "call", "bench:echo", `text=${text}`, "--json"));

/** @param {CommandHome} home */
export const keepOpen = (home) => home.runOn(script, "serve", "--port", "0");

export { call as callOpen };

/** @param {CommandHome} home */
export const openBridge = (home) => home.initialize(script, "stdio");

/** @param {CommandHome} home */
export const openChat = (home) => home.show("Ask something", script, "chat");
