/** Tests the steps of stopping the host, and what a second request to stop changes. */
import { describe, expect, it } from "vitest";
import { HostShutdown } from "#lifecycle/host-shutdown.js";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

function setUp({ busy = false } = {}) {
  const steps: string[] = [];
  const shutdown: HostShutdown = new HostShutdown({
    clock: new ManualClock(),
    releaseSocket: async () => void steps.push(`socket, stopping: ${shutdown.stopping.aborted}`),
    parts: () => ({
      listeners: [
        {
          stopAccepting: () => void steps.push("stop accepting"),
          finished: async () => {},
          disconnect: async () => void steps.push("disconnect"),
        },
      ],
      services: [{ busy, close: () => void steps.push("close service") }],
    }),
    closeHost: async () => void steps.push("close host"),
  });
  return { shutdown, steps };
}

const IN_ORDER = ["socket, stopping: true", "stop accepting", "close service", "disconnect", "close host"];

describe("HostShutdown", () => {
  it("tells all parts first that stopping has begun, and closes the host last", async () => {
    const { shutdown, steps } = setUp();
    expect(shutdown.stopping.aborted).toBe(false);
    await shutdown.stop();
    await shutdown.ended;
    expect(steps).toEqual(IN_ORDER);
  });

  it("closes the host at once on a second request, and waits no longer for pending requests", async () => {
    const { shutdown, steps } = setUp({ busy: true });
    const first = shutdown.stop();
    expect(shutdown.stop()).toBe(first);
    expect(steps).toContain("close host");
    await first;
    expect(steps.toSpliced(steps.indexOf("close host"), 1)).toEqual(IN_ORDER);
  });
});
