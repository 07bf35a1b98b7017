/** Tests the start of many servers that need the processor for a while. */
import { availableParallelism } from "node:os";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { expect, it } from "vitest";
import { embeddedHost } from "../helpers/embedded-host.ts";

const SERVERS = 30 * availableParallelism();
/** How long each server keeps a processor busy. All servers together take longer than the start-up timeout. */
const BUSY_MS = 1000;
const STARTUP_TIMEOUT_MS = 12_000;

it(
  "a host starts thirty busy servers per processor core, and no start times out",
  { meta: { covers: ["F55"] }, timeout: 300_000 },
  async () => {
    const { command, args } = scriptedLegacy();
    const busy = `
      const usedMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
      const untilMs = usedMs() + ${BUSY_MS};
      while (usedMs() < untilMs);`;
    const busyImport = ["--import", `data:text/javascript,${encodeURIComponent(busy)}`];
    const names = Array.from({ length: SERVERS }, (_, n) => `server${n}`);
    const definition = (name: string) => ({
      command,
      args: [...busyImport, ...args],
      env: { NAME: name },
      // A lazy server starts only after the host has loaded, not while it loads.
      start: "lazy" as const,
      startup_timeout_ms: STARTUP_TIMEOUT_MS,
    });
    const host = await embeddedHost({ servers: Object.fromEntries(names.map((name) => [name, definition(name)])) });
    const { ready, errors } = await host.ready();
    expect(errors).toEqual({});
    expect(ready).toEqual(names);
  },
);
