import { setImmediate } from "node:timers/promises";
import type { HostEvent, ServerStatus } from "@plugboard/contracts";
import { describe, expect, it, vi } from "vitest";
import { watchHost } from "#commands/hosting/watch-host.js";
import type { Output } from "#terminal/output.js";
import { plainText } from "#terminal/text.js";

const EVENTS = 300;

describe("watchHost", () => {
  it("reads the status a few times for hundreds of events, and shows the last one when it stops", async () => {
    let emitted = 0;
    let readings = 0;
    let written = "";
    async function* events(): AsyncGenerator<HostEvent> {
      for (let seq = 1; seq <= EVENTS; seq++) {
        await setImmediate();
        emitted = seq;
        yield { type: "server.changed", server: "s", state: "ready", seq, at: 0 };
      }
    }
    const status = async (): Promise<ServerStatus[]> => {
      readings += 1;
      // A host with hundreds of servers works this long.
      const started = performance.now();
      while (performance.now() - started < 3);
      return [
        { id: "s", transport: "stdio", source: "user", target: "x", enabled: true, state: "ready", tools: emitted },
      ];
    };
    const output = { write: (text) => void (written += plainText(text)) } as Output;
    const watch = watchHost({ api: { events }, workspace: { status }, snapshot: { seq: 0, servers: [] } }, output);
    await vi.waitFor(() => expect(emitted).toBe(EVENTS));
    await watch.stop();
    expect(readings).toBeGreaterThan(0);
    expect(readings).toBeLessThan(EVENTS / 10);
    expect(written).toContain(`s: ready, ${EVENTS} tools`);
  });
});
