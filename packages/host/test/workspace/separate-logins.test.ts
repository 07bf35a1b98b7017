/** Tests that logins at the same server share nothing. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createHost } from "@plugboard/host";
import { expect, it, onTestFinished } from "vitest";

it("two logins at one URL have separate connections and catalogs", { meta: { covers: ["S22"] } }, async () => {
  const server = createServer((request, response) => {
    const user = request.headers.authorization?.replace("Bearer ", "") ?? "nobody";
    void text(request).then((body) => {
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      const common = { resultType: "complete", ttlMs: 3_600_000, cacheScope: "private" };
      const results: { [method: string]: object } = {
        "server/discover": { ...common, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
        "tools/list": { ...common, tools: [{ name: `of_${user}`, inputSchema: { type: "object" } }] },
      };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void (server.closeAllConnections(), server.close()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const withToken = (token: string) => ({ url, headers: { Authorization: `Bearer ${token}` } });

  const host = await createHost({
    env: { XDG_CONFIG_HOME: "/nonexistent" },
    servers: { ann: withToken("ann"), bob: withToken("bob") },
  });
  onTestFinished(() => host.close());
  await host.ready();
  expect(host.tools.list().map(({ name }) => name)).toEqual(["mcp__ann__of_ann", "mcp__bob__of_bob"]);
  // A later workspace does not see the catalog of another login either.
  const guest = await host.as("chat").workspace({
    cwd: ".",
    servers: { ann: withToken("carol") },
    nativeTools: false,
  });
  await guest.servers.connect("ann");
  expect((await guest.tools.list()).map(({ name }) => name)).toEqual(["mcp__ann__of_carol"]);
});
