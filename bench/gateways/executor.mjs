// @ts-check
/**
 * Executor, which serves all servers at one URL. It does not offer the tools of the servers. It offers one tool that
 * runs code, and the code calls the tools of the servers. Servers are added over its documented HTTP API, because its
 * command asks a person to approve each server.
 */
import { once } from "node:events";
import { join } from "node:path";
import { folder } from "../install.mjs";
import { freePort, reachable } from "./gateway.mjs";

const PROGRAM = join(folder, "node_modules", "executor-linux-x64", "bin", "executor");

/** Executor starts a server for every call, so a full round would take minutes. */
export const callsPerRound = 16;

/** @type {import("./gateway.mjs").Gateway["start"]} */
export async function start(home, servers) {
  const origin = `http://127.0.0.1:${await freePort()}`;
  const { child, stop } = home.keepProgram(PROGRAM, "web", "--hostname", "127.0.0.1", "--port", new URL(origin).port);
  child.stdout.resume();
  await Promise.race([reachable(origin), once(child, "exit").then(() => Promise.reject(new Error("executor ended")))]);
  for (const [id, { command, args }] of Object.entries(servers)) {
    await post(`${origin}/api/mcp/servers`, { transport: "stdio", name: id, slug: id, command, args });
    // A connection that needs no credentials.
    const connection = { owner: "org", name: "main", integration: id, template: "none", values: {} };
    await post(`${origin}/api/connections`, connection);
  }
  return {
    endpoints: Object.fromEntries(
      Object.keys(servers).map((id) => [id, { url: `${origin}/mcp`, wrapping: wrapping(id) }]),
    ),
    pids: [child.pid ?? 0],
    stop,
  };
}

/**
 * @param {string} id
 * @returns {import("./gateway.mjs").Wrapping}
 */
function wrapping(id) {
  /** @param {string} code */
  const execute = (code) => ({ name: "execute", arguments: { code } });
  return {
    // A search needs a query. The server's id finds all its tools, because it is a part of their paths.
    listTools: execute(`return (await tools.search(${JSON.stringify({ namespace: id, query: id, limit: 50 })})).items`),
    toCall: (name, args) =>
      execute(
        `const { ok, data, error } = await tools.${id}.org.main.${name}(${JSON.stringify(args)});
        if (!ok) throw new Error(error.message);
        return data;`,
      ),
    fromResult({ content, structuredContent }) {
      if (structuredContent?.status !== "completed") throw new Error(`executor: ${content?.[0]?.text}`);
      return structuredContent.result;
    },
  };
}

/**
 * @param {string} url
 * @param {object} body
 */
async function post(url, body) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
}
