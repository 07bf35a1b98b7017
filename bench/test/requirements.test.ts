/**
 * Checks the speed requirements of the host roughly; `npm run bench` measures them. Takes the fastest of a few rounds,
 * because other load on the machine only makes a round slower.
 */
import { expect, it } from "vitest";
import * as oneShot from "../contestants/one-shot.mjs";
import * as host from "../contestants/plugboard-host.mjs";
import { connector } from "../servers/connector.mjs";
import * as connecting from "../workloads/connect.mjs";
import * as sequential from "../workloads/sequential.mjs";
import * as slowest from "../workloads/slowest.mjs";

/** Returns the lowest sample of a workload over a few rounds, with a stdio server. */
async function quietest(
  contestant: Parameters<typeof connector>[0],
  workload: typeof sequential,
  calls: number,
  rounds = 3,
): Promise<number> {
  const connections = await connector(contestant, "stdio", process.execPath);
  const { round, end } = await workload.begin(
    { contestant: "", serverNode: process.execPath, ...connections },
    { calls },
  );
  const measured: number[] = [];
  for (let at = 0; at < rounds; at++) measured.push(await round());
  await end();
  return Math.min(...measured);
}

it(
  "the host makes a call over an open connection at least 5.3 times as fast as with a new process, and in at most 8.7 ms",
  { meta: { covers: ["R0.3", "R0.4"] } },
  async () => {
    const [open, started] = [await quietest(host, sequential, 50), await quietest(oneShot, sequential, 1)];
    expect(started / open).toBeGreaterThanOrEqual(5.3);
    expect(open).toBeLessThanOrEqual(8700); // µs, the median of a round
  },
);

it("a host is created and connects to a server in less than a second", { meta: { covers: ["R3.68"] } }, async () => {
  expect(await quietest(host, connecting, 0)).toBeLessThan(1000);
});

it(
  "the host adds less than 50 ms to a call, even to the slowest of twenty",
  { meta: { covers: ["R3.69"] } },
  async () => {
    // The whole call takes less than the limit, so the host's part of it does, too. There are several rounds, because
    // other tests run at the same time.
    expect(await quietest(host, slowest, 20, 15)).toBeLessThan(50);
  },
);
