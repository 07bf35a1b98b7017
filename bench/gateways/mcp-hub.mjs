// @ts-check
/** mcp-hub, which serves all servers at one URL over HTTP+SSE. */
import { join } from "node:path";
import { installed } from "../commands/command.mjs";
import { folder } from "../install.mjs";
import { freePort, reachable } from "./gateway.mjs";

const { script } = installed(join(folder, "node_modules", "mcp-hub"), "mcp-hub");

/** @type {import("./gateway.mjs").Gateway["start"]} */
export async function start(home, mcpServers) {
  home.write("servers.json", { mcpServers });
  const port = await freePort();
  const { child, stop } = home.keep(script, "--port", String(port), "--config", join(home.folder, "servers.json"));
  const url = `http://127.0.0.1:${port}/mcp`;
  await reachable(url);
  await whenReady(`http://127.0.0.1:${port}/api/health`);
  return {
    endpoints: Object.fromEntries(
      Object.keys(mcpServers).map((id) => [id, { url, transport: /** @type {const} */ ("sse"), prefix: `${id}__` }]),
    ),
    pids: [child.pid ?? 0],
    stop,
  };
}

/**
 * Resolves when all servers are connected. Before that, mcp-hub refuses clients.
 * @param {string} url
 */
async function whenReady(url) {
  for (;;) {
    const response = await fetch(url);
    const { state, servers } = /** @type {{ state: string, servers: { status: string }[] }} */ (await response.json());
    if (state === "ready" && servers.every(({ status }) => status === "connected")) return;
    // Polls, because mcp-hub does not report that it is ready.
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
