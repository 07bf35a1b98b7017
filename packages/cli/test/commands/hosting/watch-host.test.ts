import { setImmediate } from "node:timers/promises";
import type { HostEvent, ServerStatus } from "@plugboard/contracts";
import { describe, expect, it, vi } from "vitest";
import { watchHost } from "#commands/hosting/watch-host.js";
import type { Output } from "#terminal/output.js";
import { plainText } from "#terminal/text.js";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";

const EVENTS = 300;
/** How long a host with hundreds of servers takes for its status, in milliseconds. */
const READING_MS = 3;
/** After a reading, `watchHost` rests ten times as long. There is an event each ms, and one more ends the rest. */
const EVENTS_PER_READING = READING_MS * 10 + 1;

describe("watchHost", () => {
  it("reads the status only a few times for hundreds of events, and shows the last status when it stops", async () => {
    const clock = new ManualClock();
    let emitted = 0;
    let readings = 0;
    let written = "";
    async function* events(): AsyncGenerator<HostEvent> {
      for (let seq = 1; seq <= EVENTS; seq++) {
        await setImmediate();
        clock.advance(1);
        emitted = seq;
        yield { type: "server.changed", server: "s", state: "ready", seq, at: 0 };
      }
    }
    const status = async (): Promise<ServerStatus[]> => {
      readings += 1;
      clock.advance(READING_MS);
      return [
        { id: "s", transport: "stdio", source: "user", target: "x", enabled: true, state: "ready", tools: emitted },
      ];
    };
    const output = { write: (text) => void (written += plainText(text)) } as Output;
    const watched = { api: { events }, workspace: { status }, snapshot: { seq: 0, servers: [] } };
    const watch = watchHost(watched, output, clock);
    await vi.waitFor(() => expect(emitted).toBe(EVENTS));
    await watch.stop();
    expect(readings).toBeGreaterThan(1);
    expect(readings).toBeLessThanOrEqual(Math.ceil(EVENTS / EVENTS_PER_READING) + 1);
    expect(written).toContain(`s: ready, ${EVENTS} tools`);
  });
});
