// @ts-check
/**
 * The interface of a command that is measured as a whole, from the start of its process to the end. A command is a
 * module in this folder with the name of the contestant. It exports a function for each task that the command can do.
 * The function uses the command as the command's documentation says.
 *
 * @typedef {import("./command-home.mjs").CommandHome} CommandHome
 * @typedef {import("./command-home.mjs").Servers} Servers
 *
 * @typedef {object} Command
 * @property {string} [version] the version that the command should print
 * @property {boolean} [silent] a baseline that does nothing and prints nothing
 * @property {(home: CommandHome, servers: Servers, keepAlive: boolean) => void} [configure] writes its config file
 * @property {(home: CommandHome) => Promise<string>} [printVersion]
 * @property {(home: CommandHome) => Promise<unknown>} [listServers] the ids in the config, without starting a server
 * @property {(home: CommandHome, text: string) => Promise<unknown>} [call] calls `echo` of the server
 *   `bench` and returns the result
 * @property {(home: CommandHome) => Promise<() => unknown>} [keepOpen] starts the process that keeps the connection to
 *   `bench` open for later commands; returns a function that stops it
 * @property {(home: CommandHome, text: string) => Promise<unknown>} [callOpen] the same call over the open connection
 * @property {(home: CommandHome) => Promise<Bridge>} [openBridge] starts the command as a stdio server and initializes it
 * @property {(home: CommandHome) => Promise<Bridge>} [openChat] starts a chat in a terminal; resolves when its input
 *   line is painted
 *
 * @typedef {object} Bridge
 * @property {unknown} answer the answer to `initialize`, or what the terminal shows
 * @property {() => Promise<unknown>} close
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the version of an installed package, and the file of one of its commands.
 * @param {string} folder the folder of the package
 * @param {string} name the name of the command
 */
export function installed(folder, name) {
  const { version, bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { version: String(version), script: join(folder, bin[name]) };
}
