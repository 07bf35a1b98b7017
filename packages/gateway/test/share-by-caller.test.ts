/** Tests a server with `share: "caller"`: every client of the gateway has a process of its own. */
import { fileURLToPath } from "node:url";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { afterEach, beforeEach, expect, it } from "vitest";
import { clientKinds, openClient } from "./helpers/official-clients.ts";
import type { ClientKind } from "./helpers/official-clients.ts";
import { startRunningHost } from "../../daemon/test/helpers/running-host.ts";
import type { RunningHost } from "../../daemon/test/helpers/running-host.ts";

const script = fileURLToPath(new URL("./helpers/pid-server.mjs", import.meta.url));

let host: RunningHost;
beforeEach(async () => {
  host = await startRunningHost({ s: { command: process.execPath, args: [script], share: "caller" } });
});
afterEach(() => host.close());

const open = (kind: ClientKind, name = "Ann") =>
  openClient(kind, host, () => ({ action: "accept", content: { name } }));

it("starts one process for each client, and uses it for all calls of the client", { timeout: 60_000 }, async () => {
  const clients = await Promise.all(clientKinds.map((kind) => open(kind)));
  const pids = () => Promise.all(clients.map((client) => client.call("s__pid")));
  const first = await pids();
  expect(new Set(first).size).toBe(clients.length);
  expect(await pids()).toEqual(first);
  await Promise.all(clients.map((client) => client.close()));
});

it("asks each client at once, although the server's questions name no call", async () => {
  const [ann, bob] = await Promise.all([open("legacy over HTTP"), open("legacy over HTTP", "Bob")]);
  // These calls start the process of each client.
  await Promise.all([ann.call("s__pid"), bob.call("s__pid")]);
  const hanging = bob.call("s__hold").catch(() => {});
  const before = performance.now();
  expect(await ann.call("s__ask")).toContain("Ann");
  expect(await bob.call("s__ask")).toContain("Bob");
  expect(performance.now() - before).toBeLessThan(4000);
  await Promise.all([ann.close(), bob.close()]);
  await hanging;
});

it("stops the process of a stdio client when the client disconnects", { timeout: 60_000 }, async () => {
  const [first, second] = [await open("legacy over HTTP"), await open("legacy over stdio")];
  const kept = Number(await first.call("s__pid"));
  const stopped = Number(await second.call("s__pid"));
  expect(stopped).not.toBe(kept);
  await second.close();
  await waitUntilDead(stopped, 10_000);
  expect(isAlive(kept)).toBe(true);
  await first.close();
});
