/** Tests when clients are told that the list of tools has changed, with an official client and the real command. */
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ownerToken } from "@plugboard/host/tokens";
import { startDaemon } from "@plugboard/daemon";
import { fileDrivenServer, modernStdio, scriptedLegacy } from "@plugboard/testkit/start-server";
import { expect, it, onTestFinished, vi } from "vitest";
import { testEnv } from "./helpers/running-host.ts";
import { openClient } from "../../gateway/test/helpers/official-clients.ts";
import type { OfficialClient } from "../../gateway/test/helpers/official-clients.ts";

/**
 * Starts a host, which stores the tools of these servers, and stops it. Then starts a second host, which knows the
 * tools before the servers have started. Returns a client of the second host.
 */
async function startTwice(servers: object) {
  const { env, remove } = await testEnv();
  const config = { mcp: { servers, permissions: { allow: ["*"] } } };
  await writeFile(env.PLUGBOARD_CONFIG_PATH, JSON.stringify(config));
  const start = () => startDaemon({ port: 0, env, spec: { cwd: env.HOME } });
  const first = await start();
  await first.workspace.start();
  await first.stop();
  const daemon = await start();
  onTestFinished(async () => {
    await daemon.stop();
    await remove();
  });
  const host = { daemon, env, url: `${daemon.endpoint}/mcp`, token: await ownerToken(env), close: async () => {} };
  const client = await openClient("legacy over stdio", host, () => ({ action: "decline" }));
  onTestFinished(() => client.close());
  return client;
}

const changes = ({ notifications }: OfficialClient) =>
  notifications.filter(({ method }) => method === "notifications/tools/list_changed").length;

it("a client of a new host is not told of a change of tools while servers start whose tools are known", async () => {
  const client = await startTwice({ a: modernStdio(), b: modernStdio(), c: scriptedLegacy(), d: scriptedLegacy() });
  const before = await client.request("tools/list", {});
  // After these calls, all servers have started.
  for (const id of ["a", "b", "c", "d"]) expect(await client.call(`${id}__echo`, { text: id })).toContain(id);
  expect(await client.request("tools/list", {})).toEqual(before);
  expect(changes(client)).toBe(0);
});

it("a client is told of a change of tools when a server lists other tools than before, but not when it lists the same", async () => {
  const { env, remove } = await testEnv();
  onTestFinished(remove);
  const file = join(env.HOME, "script.json");
  const tool = (name: string) => ({ name, inputSchema: { type: "object" } });
  // The server may read the file at any time, so it is replaced as a whole.
  const setTools = async (...names: string[]) => {
    await writeFile(`${file}.new`, JSON.stringify({ tools: names.map(tool) }));
    await rename(`${file}.new`, file);
  };
  await setTools("announce", "one");
  const journal = join(env.HOME, "journal");
  const countLists = async () => (await readFile(journal, "utf8")).match(/^tools\/list$/gm)?.length ?? 0;
  const client = await startTwice({ s: fileDrivenServer(file, journal) });
  expect(await client.listTools()).toEqual(["s__announce", "s__one"]);
  // The tool makes the server say that its list has changed, so the host lists its tools again.
  const before = await countLists();
  await client.call("s__announce");
  await vi.waitFor(async () => expect(await countLists()).toBeGreaterThan(before));
  await setTools("announce", "two");
  await client.call("s__announce");
  await vi.waitFor(async () => expect(await client.listTools()).toEqual(["s__announce", "s__two"]));
  await vi.waitFor(() => expect(changes(client)).toBeGreaterThan(0));
  // If the client had been told of the unchanged list, that notification would have arrived before.
  expect(changes(client)).toBe(1);
});
