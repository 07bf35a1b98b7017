/** Tests that official clients get only right answers while a server crashes and the config changes. */
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { expect, it } from "vitest";
import { openLoadClient } from "./helpers/load-client.ts";
import type { Tally } from "./helpers/load-client.ts";
import { CRASHING, startLoadServers } from "./helpers/load-servers.ts";
import { clientKinds } from "./helpers/official-clients.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

const DURATION_MS = 300_000;
const CRASH_EVERY_MS = 20_000;
const EDIT_EVERY_MS = 15_000;

it(
  "eight clients get the right answers of six servers while one crashes, two ask and the config is edited",
  { meta: { covers: ["F51", "F56"] }, timeout: DURATION_MS + 120_000 },
  async ({ annotate }) => {
    const servers = await startLoadServers();
    const tally: Tally = { calls: 0, answeredQuestions: 0, interrupted: 0, failures: {}, crashes: [] };
    const kinds = [...clientKinds, ...clientKinds];
    const clients = await Promise.all(kinds.map((kind, id) => openLoadClient(id, kind, servers, tally)));
    try {
      const until = Date.now() + DURATION_MS;
      let edits = 0;
      await Promise.all([
        ...clients.map((client) => client.run(until)),
        every(CRASH_EVERY_MS, until, () => crash(servers.host, tally)),
        every(EDIT_EVERY_MS, until, () => edit(servers.host, edits++)),
      ]);
      await annotate(JSON.stringify({ ...tally, crashes: tally.crashes.length, edits }));
      expect(tally.failures).toEqual({});
      expect(tally.crashes).toHaveLength(DURATION_MS / CRASH_EVERY_MS - 1);
      expect(edits).toBe(DURATION_MS / EDIT_EVERY_MS - 1);
      expect(tally.calls).toBeGreaterThan(DURATION_MS / 100);
      expect(tally.answeredQuestions).toBeGreaterThan(DURATION_MS / 1000);
      expect(await servers.host.daemon.workspace.inbox.list()).toEqual([]);
    } finally {
      await Promise.all(clients.map((client) => client.close()));
      await servers.close();
    }
  },
);

/** Calls `act` once per interval, but not at the end of the last one. */
async function every(ms: number, until: number, act: () => Promise<void>): Promise<void> {
  for (let next = Date.now() + ms; next < until; next += ms) {
    await delay(next - Date.now());
    await act();
  }
}

/** Kills the process of the server. If the server has just crashed, waits for its restart first. */
async function crash({ daemon }: RunningHost, tally: Tally): Promise<void> {
  const state = async () => (await daemon.workspace.status()).find(({ id }) => id === CRASHING);
  await expect.poll(state, { timeout: 10_000 }).toMatchObject({ state: "ready" });
  const { pid } = (await state())!;
  tally.crashes.push(Date.now());
  process.kill(pid!, "SIGKILL");
}

/** Makes one of four edits in turn: adds a server, sets a timeout, sets a variable, removes the added server. */
async function edit({ daemon, env }: RunningHost, count: number): Promise<void> {
  const path = env["PLUGBOARD_CONFIG_PATH"]!;
  const config = JSON.parse(await readFile(path, "utf8")) as { mcp: { servers: Record<string, object | undefined> } };
  const { servers } = config.mcp;
  switch (count % 4) {
    case 0:
      servers["added"] = scriptedLegacy("--pages", "2");
      break;
    case 1:
      servers["files"] = { ...servers["files"], request_timeout_ms: 60_000 + count };
      break;
    case 2:
      servers["dual"] = { ...servers["dual"], env: { EDIT: String(count) } };
      break;
    case 3:
      delete servers["added"];
  }
  await writeFile(path, JSON.stringify(config));
  const ids = async () => (await daemon.workspace.status()).map(({ id }) => id);
  await expect.poll(async () => (await ids()).includes("added")).toBe(count % 4 !== 3);
}
