/**
 * Tests that official clients accept what real servers from npm list through the gateway. `npm run check:wire` validates
 * the same lists with the official schemas.
 */
import { publishedServer, publishedServers } from "@plugboard/testkit/published-servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientKinds, openClient } from "./helpers/official-clients.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

let host: RunningHost;
beforeAll(async () => {
  const servers = Object.fromEntries(publishedServers.map((name, index) => [`s${index}`, publishedServer(name)]));
  host = await startRunningHost(servers);
}, 300_000);
afterAll(() => host?.close());

/** Returns, by server, the names of the tools that the server itself lists. */
async function ownTools(): Promise<{ readonly server: string; readonly tool: string }[]> {
  const tools = await host.daemon.workspace.tools.list();
  return tools.flatMap(({ origin, server, tool }) => (origin === "mcp" ? [{ server, tool }] : []));
}

describe.each(clientKinds)("a %s client of a gateway with servers from npm", (kind) => {
  it("accepts the lists of tools, resources, templates and prompts", async () => {
    const client = await openClient(kind, host, () => ({ action: "cancel" }));
    try {
      const tools = await client.listTools();
      const own = await ownTools();
      expect(new Set(tools).size).toBe(own.length);
      // Every server lists at least one tool.
      for (const [index] of publishedServers.entries()) {
        expect(tools.some((name) => name.startsWith(`s${index}__`))).toBe(true);
      }
      expect(tools.length).toBeGreaterThan(200);
      for (const list of ["resources/list", "resources/templates/list", "prompts/list"]) {
        await expect(client.request(list, {})).resolves.toBeDefined();
      }
    } finally {
      await client.close();
    }
  });
});

it.each(["2024-11-05", "2025-03-26", "2025-06-18"])("a client of the revision %s gets all tools", async (revision) => {
  const { url, token } = host;
  const post = (message: object, headers: { readonly [name: string]: string } = {}) =>
    fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: "old", version: "1" } };
  const opened = await post({ id: 1, method: "initialize", params });
  expect(await opened.text()).toContain(`"protocolVersion":"${revision}"`);
  const listed = await post(
    { id: 2, method: "tools/list" },
    { "mcp-session-id": opened.headers.get("mcp-session-id")! },
  );
  const [json] = /\{"jsonrpc.*\}/.exec(await listed.text())!;
  const { result } = JSON.parse(json) as { result: { tools: object[] } };
  expect(result.tools).toHaveLength((await ownTools()).length);
});
