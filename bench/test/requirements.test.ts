/**
 * What is required of the host's speed, measured coarsely: a smoke test; `npm run bench` is the benchmark. Other work
 * of the machine only adds to a time, so the quietest of a few rounds counts.
 */
import { expect, it } from "vitest";
import * as oneShot from "../contestants/one-shot.mjs";
import * as host from "../contestants/plugboard-host.mjs";
import { connector } from "../servers/connector.mjs";
import * as connecting from "../workloads/connect.mjs";
import * as sequential from "../workloads/sequential.mjs";
import * as slowest from "../workloads/slowest.mjs";

/** The least that a workload measures over a few rounds, with a server of its own over stdio. */
async function quietest(
  contestant: Parameters<typeof connector>[0],
  workload: typeof sequential,
  calls: number,
  rounds = 3,
): Promise<number> {
  const { connect } = await connector(contestant, "stdio", process.execPath);
  const { round, end } = await workload.begin(connect, { calls }, "");
  const measured: number[] = [];
  for (let at = 0; at < rounds; at++) measured.push(await round());
  await end();
  return Math.min(...measured);
}

it(
  "makes a call over an open connection at least 5.3 times as fast as one that starts a process, and in at most 8.7 ms",
  { meta: { covers: ["R0.3", "R0.4"] } },
  async () => {
    const [open, started] = [await quietest(host, sequential, 50), await quietest(oneShot, sequential, 1)];
    expect(started / open).toBeGreaterThanOrEqual(5.3);
    expect(open).toBeLessThanOrEqual(8700); // µs, the median of a round
  },
);

it("makes a host and connects a server in less than a second", { meta: { covers: ["R3.68"] } }, async () => {
  expect(await quietest(host, connecting, 0)).toBeLessThan(1000);
});

it("adds less than 50 ms to a call, to the slowest of twenty too", { meta: { covers: ["R3.69"] } }, async () => {
  // The whole call is below the bound, so the host's part of it is. Other tests run beside this one: hence the rounds.
  expect(await quietest(host, slowest, 20, 15)).toBeLessThan(50);
});
