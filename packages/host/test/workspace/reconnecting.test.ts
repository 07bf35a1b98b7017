/** Tests how a host shows servers that crash and restart. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Host } from "#host/host.js";
import { createHost } from "@plugboard/host";
import type { ServerEntry } from "@plugboard/contracts";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";

const env = { PATH: process.env["PATH"], XDG_CONFIG_HOME: "/nonexistent" };
const context = { caller: { kind: "program", id: "test" }, impliesPermission: true } as const;

async function open(servers: { [id: string]: ServerEntry }, limits = {}) {
  const host = new Host({ env, limits });
  onTestFinished(() => host.close());
  const workspace = await host.open({ cwd: ".", servers });
  return workspace;
}

type TestWorkspace = Awaited<ReturnType<typeof open>>;

describe("a server that crashes", () => {
  it(
    "loses its tools and gets them back when it restarts, with one notification each",
    { meta: { covers: ["R2.122", "R4.3", "R4.19", "R4.20"] } },
    async () => {
      const workspace = await open({ s: scriptedLegacy(), other: scriptedLegacy("--pages=2") }, { firstRetryMs: 100 });
      const offers: string[][] = [];
      const offering = () => [...new Set(workspace.tools.list().map(({ server }) => server))];
      await workspace.start();
      workspace.tools.onChanged(() => offers.push(offering()));
      await expect(workspace.calls.call("s:crash", {}, context)).rejects.toMatchObject({ code: "SERVER_CRASHED" });
      await vi.waitFor(() => expect(workspace.status()[0]).toMatchObject({ state: "ready", restarts: 1 }), {
        timeout: 10_000,
      });
      expect(offers).toEqual([["other"], ["s", "other"]]);
    },
  );

  it.each([
    ["connect", (workspace: TestWorkspace) => workspace.servers.connect("s").catch(() => {})],
    ["start", (workspace: TestWorkspace) => workspace.start()],
  ])(
    "is not restarted after its fifth crash until `%s` is called",
    { meta: { covers: ["R3.10"] } },
    async (_, tryAgain) => {
      const dying = { command: process.execPath, args: ["-e", "process.stderr.write('no'); process.exit(3)"] };
      const workspace = await open({ s: dying }, { firstRetryMs: 5 });
      const { errors } = await workspace.start();
      expect(errors).toMatchObject({ s: { code: "SERVER_CRASHED" } });
      await vi.waitFor(() => expect(workspace.status()).toMatchObject([{ state: "error" }]), { timeout: 15_000 });
      expect(workspace.status()).toMatchObject([
        { restarts: 4, lastError: { code: "SERVER_CRASHED", details: { exit: "exit code 3", stderr: "no" } } },
      ]);
      // A call does not restart the server.
      await expect(workspace.calls.call("s:x", {}, context)).rejects.toMatchObject({ code: "SERVER_CRASHED" });
      // A page that is opened does not, either.
      expect((await workspace.start({ retryFailed: false })).errors).toMatchObject({ s: { code: "SERVER_CRASHED" } });
      expect(workspace.status()).toMatchObject([{ state: "error", restarts: 4 }]);
      await tryAgain(workspace);
      expect(workspace.status()).toMatchObject([{ state: "connecting", lastError: { code: "SERVER_CRASHED" } }]);
    },
  );
});

it(
  "the status of a server counts the lines of its output that are not messages",
  { meta: { covers: ["F5"] } },
  async () => {
    const chatty = `process.stdout.write("Welcome!\\nversion 1\\n"); import(${JSON.stringify(scriptedLegacy().args[0])});`;
    const workspace = await open({ s: { command: process.execPath, args: ["-e", chatty] }, quiet: scriptedLegacy() });
    expect((await workspace.start()).ready.toSorted()).toEqual(["quiet", "s"]);
    const [noisy, quiet] = workspace.status();
    expect(noisy).toMatchObject({ id: "s", skippedMessages: 2 });
    expect(quiet).not.toHaveProperty("skippedMessages");
  },
);

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

  const host = await createHost({ env, servers: { ann: withToken("ann"), bob: withToken("bob") } });
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
