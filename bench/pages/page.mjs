// @ts-check
/**
 * What a benchmarked page is: a module in this folder that starts a site with many servers and tools. The plain page
 * gets them as JSON. Plugboard connects to real servers: most of them are paths of one HTTP process, a few are stdio
 * processes.
 *
 * @typedef {import("../commands/command-home.mjs").CommandHome} CommandHome
 *
 * @typedef {object} Load
 * @property {readonly ListedServer[]} servers
 * @property {readonly ListedTool[]} tools
 *
 * @typedef {{ readonly id: string, readonly target: string, readonly definition: object }} ListedServer
 * @typedef {{ readonly server: string, readonly tool: string, readonly title: string, readonly description: string }} ListedTool
 *
 * @typedef {object} Selectors the CSS selectors of the elements that a round uses and checks
 * @property {string} filter the field that filters the list of servers
 * @property {string} names the names of the listed servers
 * @property {string} search the field that searches the tools
 * @property {string} found says how many tools are found
 * @property {string} tools the names of the listed tools
 *
 * @typedef {object} Site
 * @property {string} origin
 * @property {string} [signInUrl] signs a browser in, if that is needed
 * @property {string} serversPath
 * @property {string} toolsPath
 * @property {Selectors} selectors
 * @property {() => unknown} stop
 *
 * @typedef {{ start(home: CommandHome, load: Load): Promise<Site> }} PageModule
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { toolsOf } from "../servers/many-tools.mjs";

/** The only server whose id contains a "q". */
export const SPECIAL_SERVER = "quartz";

/** The number of servers that are stdio processes of their own. */
export const STDIO_SERVERS = 4;

/**
 * Starts the HTTP servers, and describes all servers and tools.
 * @param {string} node the Node that the servers run on
 * @param {number} serverCount
 * @param {number} toolCount of each server
 * @returns {Promise<{ load: Load, stop: () => void }>}
 */
export async function startLoad(node, serverCount, toolCount) {
  const http = spawn(node, [script("many-http.mjs"), String(toolCount)], { stdio: ["pipe", "pipe", "inherit"] });
  const [printed] = await once(http.stdout, "data");
  const origin = String(printed).trim();
  const servers = Array.from({ length: serverCount }, (_, at) => {
    const id = at === serverCount - 1 ? SPECIAL_SERVER : `server-${at}`;
    if (at >= STDIO_SERVERS) return { id, target: `${origin}/${at}`, definition: { url: `${origin}/${at}` } };
    const args = [script("many-stdio.mjs"), String(at), String(toolCount)];
    return { id, target: [node, ...args].join(" "), definition: { command: node, args } };
  });
  const tools = servers.flatMap(({ id }, at) =>
    toolsOf(at, toolCount).map(({ name, title, description }) => ({ server: id, tool: name, title, description })),
  );
  return { load: { servers, tools }, stop: () => void http.stdin.end() };
}

/** @param {string} file */
function script(file) {
  return fileURLToPath(new URL(`../servers/${file}`, import.meta.url));
}
