/** Tests when a server is pinged and when it counts as dead, with a manual clock. */
import { HealthWatch } from "#connection/health-watch.js";
import { HostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const server = "tested";
const unreachable = new HostError("SERVER_UNREACHABLE", { server, reason: "gone" });
const lost = new HostError("CONNECTION_LOST", { server, reason: "gone" });
const login = new HostError("AUTH_REQUIRED", { server });
const timedOut = new HostError("REQUEST_TIMEOUT", { server, method: "m", afterMs: 1 });
const busy = new HostError("SERVER_OVERLOADED", { server, status: 429 });
const refused = new HostError(
  "REQUEST_FAILED",
  { server, method: "m", code: -32601, message: "no" },
  { cause: { code: -32601, message: "no" } },
);

function watchServer(intervalMs: number | undefined = 30_000) {
  const clock = new ManualClock();
  const pings: { answer: () => void; fail: (error: HostError) => void; signal: AbortSignal; again: boolean }[] = [];
  const dead: string[] = [];
  let busy = false;
  const health = new HealthWatch({
    server,
    clock,
    intervalMs,
    timeoutMs: 10_000,
    retryMs: 1000,
    ping: (signal, again) => new Promise((answer, fail) => pings.push({ answer, fail, signal, again })),
    busy: () => busy,
    onDead: ({ code }) => dead.push(code),
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    health,
    clock,
    dead,
    get pingCount() {
      return pings.length;
    },
    last: () => pings.at(-1)!,
    busy(isBusy: boolean) {
      busy = isBusy;
    },
    async pass(ms: number) {
      clock.advance(ms);
      await settle();
    },
    async answer() {
      pings.at(-1)!.answer();
      await settle();
    },
    async fail(error: HostError = unreachable) {
      pings.at(-1)!.fail(error);
      await settle();
    },
  };
}

describe("HealthWatch", () => {
  describe("silent server", () => {
    it("is pinged once per interval", async () => {
      const watched = watchServer();
      await watched.pass(29_999);
      expect(watched.pingCount).toBe(0);
      await watched.pass(1);
      expect(watched.pingCount).toBe(1);
      await watched.answer();
      await watched.pass(30_000);
      expect(watched.pingCount).toBe(2);
    });

    it("is dead after two failed pings, the second after a short pause", async () => {
      const watched = watchServer();
      await watched.pass(30_000);
      await watched.fail();
      expect(watched.dead).toEqual([]);
      await watched.pass(1000);
      await watched.fail(lost);
      expect(watched.dead).toEqual(["CONNECTION_LOST"]);
      expect(watched.clock.pendingTimers).toBe(0);
    });

    it("is alive if it answers between two failures", async () => {
      const watched = watchServer();
      for (const round of [1, 2, 3]) {
        await watched.pass(30_000);
        await watched.fail();
        await watched.pass(1000);
        expect(watched.pingCount).toBe(2 * round);
        await watched.answer();
      }
      expect(watched.dead).toEqual([]);
    });

    it("gets one ping at a time, with a timeout", async () => {
      const watched = watchServer();
      await watched.pass(30_000);
      watched.health.onRequestFailed(unreachable);
      expect(watched.pingCount).toBe(1);
      await watched.pass(10_000);
      expect(watched.last().signal.aborted).toBe(true);
      await watched.pass(1000);
      await watched.pass(10_000);
      expect(watched).toMatchObject({ pingCount: 2, dead: ["CONNECTION_LOST"] });
    });

    it.each([
      ["that it is overloaded", busy],
      ["that the method is unknown", refused],
    ])("is alive if it answers %s", async (_, error) => {
      const watched = watchServer();
      await watched.pass(30_000);
      await watched.fail(error);
      await watched.pass(30_000);
      await watched.fail(error);
      expect(watched.dead).toEqual([]);
    });

    it("is closed at once if a login is required", async () => {
      const watched = watchServer();
      await watched.pass(30_000);
      await watched.fail(login);
      expect(watched.dead).toEqual(["AUTH_REQUIRED"]);
    });
  });

  describe("server that handles a call", () => {
    it("is not pinged during a long call", async () => {
      const watched = watchServer();
      watched.busy(true);
      await watched.pass(600_000);
      expect(watched.pingCount).toBe(0);
      watched.busy(false);
      await watched.pass(30_000);
      expect(watched.pingCount).toBe(1);
    });

    it("gets no second ping while it handles a call, even after a failed first ping", async () => {
      const watched = watchServer();
      await watched.pass(30_000);
      await watched.fail();
      watched.busy(true);
      await watched.pass(60_000);
      expect(watched).toMatchObject({ pingCount: 1, dead: [] });
      watched.health.markAlive();
      watched.busy(false);
      await watched.pass(1000);
      expect(watched.pingCount).toBe(1);
    });

    it("is pinged within an interval after a call has timed out, even if other calls are open", async () => {
      const watched = watchServer();
      watched.busy(true);
      await watched.pass(60_000);
      watched.health.onRequestFailed(timedOut);
      expect(watched.pingCount).toBe(0);
      await watched.pass(30_000);
      expect(watched.pingCount).toBe(1);
      await watched.pass(10_000);
      await watched.pass(1000);
      await watched.pass(10_000);
      expect(watched.dead).toEqual(["CONNECTION_LOST"]);
    });

    it.each<[string, (watched: ReturnType<typeof watchServer>) => unknown]>([
      ["answers another call", (watched) => watched.health.markAlive()],
      ["answers the ping", async (watched) => (await watched.pass(30_000), watched.answer())],
    ])("is no longer pinged if it %s after a call has timed out", async (_, answers) => {
      const watched = watchServer();
      watched.busy(true);
      watched.health.onRequestFailed(timedOut);
      await answers(watched);
      const { pingCount } = watched;
      await watched.pass(600_000);
      expect(watched.pingCount).toBe(pingCount);
    });
  });

  describe("second ping", () => {
    it("is marked, so that it can use another request than the first ping", async () => {
      const watched = watchServer();
      await watched.pass(30_000);
      expect(watched.last().again).toBe(false);
      await watched.fail();
      await watched.pass(1000);
      expect(watched.last().again).toBe(true);
      await watched.answer();
      await watched.pass(30_000);
      expect(watched.last().again).toBe(false);
    });
  });

  describe("server that answers requests", () => {
    it("is not pinged", async () => {
      const watched = watchServer();
      for (let n = 0; n < 5; n++) {
        watched.health.markAlive();
        await watched.pass(30_000);
      }
      expect(watched.pingCount).toBe(0);
      await watched.pass(30_000);
      expect(watched.pingCount).toBe(1);
    });

    it("is alive, even if a ping fails meanwhile", async () => {
      const watched = watchServer();
      await watched.pass(30_000);
      watched.health.markAlive();
      await watched.fail();
      await watched.pass(60_000);
      expect(watched.pingCount).toBe(2);
      await watched.fail();
      watched.health.onRequestFailed(refused);
      await watched.pass(1000);
      expect(watched).toMatchObject({ pingCount: 2, dead: [] });
    });
  });

  describe("lost request", () => {
    it.each([undefined, 30_000])("causes a ping at once (interval: %s)", async (intervalMs) => {
      const watched = watchServer(intervalMs);
      watched.health.onRequestFailed(lost);
      expect(watched.pingCount).toBe(1);
      await watched.fail();
      watched.health.onRequestFailed(lost);
      expect(watched.pingCount).toBe(1);
      await watched.pass(1000);
      await watched.fail();
      expect(watched.dead).toEqual(["SERVER_UNREACHABLE"]);
    });

    it("causes no ping at once if it timed out or was cancelled", () => {
      const watched = watchServer();
      watched.health.onRequestFailed(new HostError("CANCELLED", { reason: "" }));
      watched.health.onRequestFailed(timedOut);
      expect(watched.pingCount).toBe(0);
    });
  });

  it("leaves no timer when it is stopped, and reports no more errors", async () => {
    const watched = watchServer();
    await watched.pass(30_000);
    watched.health.stop();
    expect(watched.last().signal.aborted).toBe(true);
    await watched.fail();
    watched.health.onRequestFailed(lost);
    await watched.pass(90_000);
    expect(watched).toMatchObject({ pingCount: 1, dead: [] });
    expect(watched.clock.pendingTimers).toBe(0);
  });
});
