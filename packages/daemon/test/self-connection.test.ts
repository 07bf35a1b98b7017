/** Tests servers that connect back to their own host, and similar servers that do not. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerEntry } from "@plugboard/contracts";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startRunningHost } from "./helpers/running-host.ts";
import type { RunningHost } from "./helpers/running-host.ts";

const command = fileURLToPath(new URL("../../cli/bin/plugboard.js", import.meta.url));
const isSelf = { code: "SERVER_IS_SELF" };

async function start(servers: Parameters<typeof startRunningHost>[0] = { s: scriptedLegacy() }): Promise<RunningHost> {
  const host = await startRunningHost(servers);
  onTestFinished(host.close);
  return host;
}

const overHttp = ({ url, token }: RunningHost): ServerEntry => ({
  url,
  headers: { Authorization: `Bearer ${token}` },
});

const overStdio = ({ env }: RunningHost): ServerEntry => ({
  command: process.execPath,
  args: [command, "stdio"],
  env: { ...env },
});

/** Returns the number of tools of servers that a host offers. */
const toolCount = async ({ daemon }: RunningHost) =>
  (await daemon.workspace.tools.list()).filter(({ origin }) => origin === "mcp").length;

/** Functions that connect each host of a ring to the next. */
type Ring = readonly (() => Promise<unknown>)[];

/** Gives a host these servers, connects them and returns their status by id. A failed connection does not throw. */
async function connect(host: RunningHost, servers: { readonly [id: string]: ServerEntry }) {
  const { workspace } = host.daemon;
  await workspace.servers.set(servers);
  await Promise.all(Object.keys(servers).map((id) => workspace.servers.connect(id).catch(() => {})));
  const status = await workspace.status();
  return Object.fromEntries(status.map((server) => [server.id, server]));
}

describe("a server that connects back to its own host", { meta: { covers: ["A20"] } }, () => {
  it.each([
    ["by its URL", overHttp],
    ["through the stdio command", overStdio],
  ])("is rejected and not retried if it connects %s", { timeout: 60_000 }, async (_, entry) => {
    const host = await start();
    const before = await toolCount(host);
    const { me } = await connect(host, { me: entry(host) });
    expect(me).toMatchObject({ state: "error", lastError: isSelf, tools: 0 });
    expect(await toolCount(host)).toBe(before);
  });

  it.each([
    ["the other host connects last", true],
    ["this host connects last", false],
  ])("is rejected behind the gateway of another host if %s", async (_, otherIsLast) => {
    const [host, otherHost] = [await start(), await start()];
    const [first, last] = otherIsLast ? [host, otherHost] : [otherHost, host];
    const { other } = await connect(first, { other: overHttp(last) });
    // A different Plugboard is an ordinary server.
    expect(other).toMatchObject({ state: "ready" });
    const [firstCount, lastCount] = [await toolCount(first), await toolCount(last)];
    expect(firstCount).toBe(2 * lastCount);
    const { back } = await connect(last, { back: overHttp(first) });
    expect(back).toMatchObject({ lastError: isSelf, retryAt: expect.any(Number) as number });
    expect([await toolCount(first), await toolCount(last)]).toEqual([firstCount, lastCount]);
    // The last host can connect when the first host has removed its own connection.
    await first.daemon.workspace.servers.set({});
    await last.daemon.workspace.servers.connect("back");
    expect(await toolCount(last)).toBe(2 * lastCount);
  });

  it.each([
    ["of two hosts that connect at once", 2, (ring: Ring) => Promise.all(ring.map((connectNext) => connectNext()))],
    [
      "of three hosts whose middle connection comes last",
      3,
      async ([ab, bc, ca]: Ring) => [await ab!(), await ca!(), await bc!()],
    ],
    ["of three hosts that connect at once", 3, (ring: Ring) => Promise.all(ring.map((connectNext) => connectNext()))],
  ])("is rejected in a ring %s, and no tool list grows", { timeout: 60_000 }, async (_, size, connectRing) => {
    const hosts = await Promise.all(Array.from({ length: size }, () => start()));
    const own = await toolCount(hosts[0]!);
    const ring = hosts.map((host, index) => () => connect(host, { next: overHttp(hosts[(index + 1) % size]!) }));
    await connectRing(ring);
    await vi.waitFor(
      async () => {
        // Each time a host lists the tools of the next one, the host ids travel one host further.
        for (const { daemon } of hosts) void daemon.workspace.servers.refresh("next").catch(() => {});
        const states = await Promise.all(hosts.map(({ daemon }) => daemon.workspace.status()));
        expect(states.flat().map(({ lastError }) => lastError?.code)).toContain("SERVER_IS_SELF");
      },
      { timeout: 20_000 },
    );
    for (const host of hosts) expect(await toolCount(host)).toBeLessThanOrEqual(size * own);
  });

  it("is rejected even if a gateway in between removes the host ids", async () => {
    const host = await start();
    const { daemon, env } = host;
    const relay = fileURLToPath(new URL("helpers/relay-stdio.mjs", import.meta.url));
    const before = await toolCount(host);
    const entry = { command: process.execPath, args: [relay, process.execPath, command, "stdio"], env: { ...env } };
    const { relayed } = await connect(host, { relayed: entry });
    expect(relayed!.state).not.toBe("ready");
    expect(await toolCount(host)).toBe(before);
    await daemon.workspace.servers.disconnect("relayed");
  });
});

describe(
  "a server that forges host ids, which a host and a gateway that is its server both use",
  { meta: { covers: ["A20"] } },
  () => {
    /** Connects a host to a team's gateway. Both use the forging server, which begins with the ids of `findIds`. */
    async function connectBoth(findIds: (host: RunningHost) => Promise<readonly string[]>) {
      const [host, gateway] = [await start(), await start()];
      const file = join(host.env["HOME"]!, "ids");
      await writeFile(file, (await findIds(host)).map((id) => `${id}\n`).join(""));
      const forger: ServerEntry = {
        command: process.execPath,
        args: [fileURLToPath(new URL("helpers/id-forger.mjs", import.meta.url)), file],
      };
      await connect(host, { forger });
      await connect(gateway, { forger });
      return { host, gateway, team: (await connect(host, { forger, team: overHttp(gateway) }))["team"] };
    }

    it("can't make the host reject the gateway with the id that the host sends to servers", async () => {
      const { team } = await connectBoth(async () => []);
      expect(team).toMatchObject({ state: "ready" });
    });

    it("makes the host reject the gateway by forging the id that the host sends to clients, until the gateway removes the server", async () => {
      const { host, gateway, team } = await connectBoth(idsSentToClients);
      expect(team).toMatchObject({ lastError: isSelf, retryAt: expect.any(Number) as number });
      await gateway.daemon.workspace.servers.set({});
      expect(await host.daemon.workspace.servers.connect("team")).toMatchObject({ state: "ready" });
    });

    /** Returns the host ids in the response to `initialize`, as any client gets them. */
    async function idsSentToClients({ url, token }: RunningHost): Promise<readonly string[]> {
      const clientInfo = { name: "test", version: "1" };
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
      const response = await fetch(url, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }),
      });
      const [ids] = /\[[^\]]*\]/.exec((await response.text()).split("plugboard/instances")[1]!)!;
      return JSON.parse(ids) as string[];
    }
  },
);
