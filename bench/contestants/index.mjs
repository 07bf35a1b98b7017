// @ts-check
/**
 * Lists the contestants. A contestant is a module in this folder that exports `connectStdio`, `connectHttp` or both. If
 * the start of a program is measured, the contestant is a program in starts/. A contestant that is a command, a gateway
 * or a page is a module in commands/, gateways/ or pages/.
 *
 * @typedef {{ readonly [name: string]: string | number }} Arguments
 *
 * @typedef {object} Client a connection to one server, whose tools have been listed
 * @property {readonly { readonly name: string }[]} tools
 * @property {(name: string, args: Arguments) => Promise<unknown>} call the tool's result
 * @property {() => Promise<unknown>} close resolves when the server has ended, if the client started it
 *
 * @typedef {object} Contestant
 * @property {(command: string, args: readonly string[]) => Promise<Client>} [connectStdio]
 * @property {(command: string, args: readonly (readonly string[])[]) => Promise<readonly Client[]>} [connectServers] starts
 *   and connects several servers at once, if the library has a way of its own for that
 * @property {(url: string) => Promise<Client>} [connectHttp]
 * @property {(server: import("@plugboard/mcp").ServerObject) => Promise<Client>} [connectObject]
 *
 * @typedef {object} Listed
 * @property {string} title
 * @property {"baseline" | "ours" | "peer"} role
 * @property {string} [package] the npm package of a peer. Its manifest says the peer's version and the Node it requires
 */

/** @type {{ readonly [name: string]: Listed }} */
export const CONTESTANTS = {
  raw: { title: "raw", role: "baseline" },
  "one-shot": { title: "a process for every call", role: "baseline" },
  "one-shot-script": { title: "a one-shot script", role: "baseline" },
  node: { title: "empty `node`", role: "baseline" },
  engine: { title: "the engine alone", role: "baseline" },
  "bare-proxy": { title: "a bare proxy", role: "baseline" },
  "plain-page": { title: "a plain page", role: "baseline" },
  plugboard: { title: "Plugboard", role: "ours" },
  "plugboard-host": { title: "Plugboard", role: "ours" },
  "plugboard-cli": { title: "Plugboard", role: "ours" },
  "plugboard-gateway": { title: "Plugboard", role: "ours" },
  "plugboard-page": { title: "Plugboard", role: "ours" },
  "plugboard-agent": { title: "Plugboard", role: "ours" },
  "plugboard-era-known": { title: "Plugboard, era remembered", role: "ours" },
  "sdk-v1": { title: "official SDK 1.x", role: "peer", package: "@modelcontextprotocol/sdk" },
  "sdk-v2": { title: "official client 2.x", role: "peer", package: "@modelcontextprotocol/client" },
  "ai-sdk": { title: "AI SDK", role: "peer", package: "@ai-sdk/mcp" },
  mcporter: { title: "mcporter", role: "peer", package: "mcporter" },
  inspector: { title: "MCP inspector", role: "peer", package: "@modelcontextprotocol/inspector" },
  "mcp-proxy": { title: "mcp-proxy", role: "peer", package: "mcp-proxy" },
  "mcp-hub": { title: "mcp-hub", role: "peer", package: "mcp-hub" },
  supergateway: { title: "supergateway", role: "peer", package: "supergateway" },
  executor: { title: "Executor", role: "peer", package: "executor-linux-x64" },
  mcpc: { title: "mcpc", role: "peer", package: "@apify/mcpc" },
};

/** The contestants of every benchmark of the engine. */
export const ENGINES = ["raw", "plugboard", "sdk-v1", "sdk-v2", "ai-sdk"];
