/** Stopping the running host: the time that servers get, and what becomes of requests under way. */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { socketPath } from "@plugboard/host";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ManualClock } from "../../mcp/test/manual-clock.ts";
import { watchName } from "#lifetime.js";
import { startHost } from "./running-host.ts";

describe("a server that takes its time to stop", () => {
  /** Once its input ends it writes "flushing", waits for the file `go`, and writes "flushed". */
  async function open(clock: ManualClock) {
    const { command, args } = scriptedLegacy();
    const flush = `trap "" TERM; "$@"; echo flushing >"$HOME/log"; until [ -e "$HOME/go" ]; do sleep 0.02; done; echo flushed >"$HOME/log"`;
    const server = { command: "sh", args: ["-c", flush, "sh", command, ...args], env: { HOME: "${HOME}" } };
    const host = await startHost({ server }, { clock });
    onTestFinished(host.close);
    const log = () => readFile(join(host.env["HOME"]!, "log"), "utf8");
    await vi.waitFor(() => stat(socketPath(host.env)));
    const stopped = host.daemon.stop();
    await vi.waitFor(async () => expect(await log()).toBe("flushing\n"), 10_000);
    return { host, log, stopped, go: () => writeFile(join(host.env["HOME"]!, "go"), "") };
  }

  it("gets its whole stop window after one request to stop", { meta: { covers: ["F44"] } }, async () => {
    const clock = new ManualClock();
    const { host, log, stopped, go } = await open(clock);
    clock.pass(60_000);
    // The watch of the name would find it gone by now.
    await expect(stat(socketPath(host.env))).rejects.toThrow("ENOENT");
    await go();
    await stopped;
    expect(await log()).toBe("flushed\n");
  });

  it("is ended at once by a second request to stop", { meta: { covers: ["F44"] } }, async () => {
    const { host, log, stopped } = await open(new ManualClock());
    await Promise.all([host.daemon.stop(), stopped]);
    expect(await log()).toBe("flushing\n");
  });
});

describe("the watch of the socket's name", () => {
  it("stops the host when the name is lost, and not once stopping has begun", async () => {
    for (const isStopping of [false, true]) {
      const clock = new ManualClock();
      const stopping = new AbortController();
      const stop = vi.fn(() => Promise.resolve());
      const asked = vi.fn<() => Promise<boolean>>().mockResolvedValue(false);
      watchName({ held: asked }, { clock, stop, stopping: stopping.signal });
      clock.pass(5000);
      expect(asked).toHaveBeenCalledOnce();
      // Even if it was being looked for at that very moment.
      if (isStopping) stopping.abort();
      await vi.waitFor(() => expect(asked.mock.settledResults[0]?.type).toBe("fulfilled"));
      await Promise.resolve();
      expect(stop).toHaveBeenCalledTimes(isStopping ? 0 : 1);
    }
  });
});
