/** Reads servers, tools and logs as hosts have stored them. Creates no host and starts nothing. */
export { listServers, listStoredTools, loadServerLog } from "./lazy.ts";
