/** Tests the import of other clients' servers by a signed-in page. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServerEntry } from "@plugboard/contracts";
import { VERSION } from "@plugboard/host";
import { socketPath } from "@plugboard/store";
import { connectRemote } from "@plugboard/remote";
import { nodeHttpFetch } from "@plugboard/remote/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { startDaemonWith } from "../helpers/running-host.ts";

type Servers = { readonly [id: string]: ServerEntry };

/**
 * Starts a host with these servers, and Cursor's file with others. Every server is disabled, so that none is started.
 */
async function open({ own = {}, cursor }: { readonly own?: Servers; readonly cursor: Servers }) {
  const running = await startDaemonWith({}, own, {}, {});
  onTestFinished(running.close);
  const folder = join(running.env["HOME"]!, ".cursor");
  await mkdir(folder);
  await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers: cursor }));
  const address = { socketPath: socketPath(running.env) };
  const host = await connectRemote({ fetch: nodeHttpFetch(address), version: VERSION, kind: "cli" });
  onTestFinished(() => host.close());
  const { operations: manage } = host;
  const plan = async () => {
    const planned = await manage.planImport({ replace: true });
    const servers = planned.files.flatMap((file) => file.servers);
    return { plan: planned.plan, servers, keys: servers.map(({ key }) => key) };
  };
  const configFile = running.env["PLUGBOARD_CONFIG_PATH"]!;
  const writeServers = (servers: Servers) => writeFile(configFile, JSON.stringify({ mcp: { servers } }));
  const readServers = async () =>
    (JSON.parse(await readFile(configFile, "utf8")) as { mcp: { servers: Servers } }).mcp.servers;
  return { manage, host, plan, writeServers, readServers };
}

const disabled = (command: string, env = {}) => ({ command, env, enabled: false });

describe("the import of servers", () => {
  it("keeps a stored secret that another server uses, too", async () => {
    const secret = { API_KEY: { $secret: "gh.API_KEY" } };
    const own = { gh: disabled("old", secret), other: disabled("run", secret) };
    const { manage, host, plan } = await open({ own, cursor: { gh: disabled("run", { API_KEY: "canary" }) } });
    const workspace = await host.workspace({ cwd: "/" });
    await workspace.secrets.set("gh.API_KEY", "mine");
    const { plan: id, keys, servers } = await plan();
    expect(servers).toMatchObject([{ action: "replace", runs: "run", secrets: [{ name: "gh.API_KEY-2" }] }]);
    expect(await manage.importServers(id, keys)).toEqual({ imported: keys });
    await workspace.config.reload();
    expect((await workspace.secrets.list()).secrets).toMatchObject([
      { name: "gh.API_KEY", servers: ["other"] },
      { name: "gh.API_KEY-2", servers: ["gh"] },
    ]);
  });

  it("says which servers were saved before an error, and goes on with a new plan", async () => {
    const cursor = { a: disabled("a"), b: disabled("b", { API_KEY: "canary" }), c: disabled("c") };
    const { manage, host, plan, writeServers, readServers } = await open({ cursor });
    const { plan: id, keys } = await plan();
    await writeServers({ b: disabled("mine") });
    expect(await manage.importServers(id, keys)).toMatchObject({
      imported: [keys[0]],
      failed: { key: keys[1], error: { code: "SERVER_EXISTS" } },
    });
    expect(await readServers()).toMatchObject({ a: { command: "a" }, b: { command: "mine" } });
    expect((await (await host.workspace({ cwd: "/" })).secrets.list()).secrets).toEqual([]);

    const next = await plan();
    expect(next.servers.map(({ action }) => action)).toEqual(["none", "replace", "add"]);
    expect(await manage.importServers(next.plan, next.keys)).toEqual({ imported: next.keys.slice(1) });
  });

  it("refuses an unknown key, and imports nothing then", async () => {
    const { manage, plan, readServers } = await open({ cursor: { a: disabled("a") } });
    const { plan: id, keys } = await plan();
    const unknown = { code: "NOT_FOUND", message: expect.stringContaining('"7"') as string };
    await expect(manage.importServers(id, [...keys, "7"])).rejects.toMatchObject(unknown);
    await expect(manage.importServers(id, keys, { plainSecrets: ["7"] })).rejects.toMatchObject(unknown);
    expect(await readServers()).toEqual({});
  });
});
