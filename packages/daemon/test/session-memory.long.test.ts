/** Tests that the memory of the host does not grow with the number of sessions that clients have opened. */
import { expect, it } from "vitest";
import { INITIALIZE, MIB, repeat, startMeasuredHost } from "./helpers/measured-host.ts";

const [WARM_UP, TOTAL] = [10_000, 100_000];

it.runIf(process.platform === "linux")(
  "memory stays bounded while clients initialize sessions that they never close",
  { meta: { covers: ["S18"] }, timeout: 600_000 },
  async () => {
    const { send, residentBytes } = await startMeasuredHost({});
    const statuses = new Map<number, number>();
    /** Every second client ends its session. When a thousand sessions are open, the host refuses new ones. */
    const initialize = async (index: number) => {
      const { status, session } = await send("POST", {}, INITIALIZE);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (index % 2 === 1 && session !== undefined) await send("DELETE", { "mcp-session-id": session });
    };
    await repeat(WARM_UP, initialize);
    const before = await residentBytes();
    await repeat(TOTAL - WARM_UP, initialize);
    const after = await residentBytes();
    expect(after - before).toBeLessThan(30 * MIB);
    expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([200, 429]);
    expect(statuses.get(200)! + statuses.get(429)!).toBe(TOTAL);
  },
);
