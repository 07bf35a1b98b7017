/** When a server is pinged and when it counts as dead, with a manual clock. */
import { HealthWatch } from "#connection/health-watch.js";
import { HostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../helpers/manual-clock.ts";

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

function watch(intervalMs: number | undefined = 30_000) {
  const clock = new ManualClock();
  const checks: { answer: () => void; fail: (error: HostError) => void; signal: AbortSignal; again: boolean }[] = [];
  const dead: string[] = [];
  let busy = false;
  const health = new HealthWatch({
    server,
    clock,
    intervalMs,
    timeoutMs: 10_000,
    retryMs: 1000,
    ping: (signal, again) => new Promise((answer, fail) => checks.push({ answer, fail, signal, again })),
    busy: () => busy,
    onDead: ({ code }) => dead.push(code),
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    health,
    clock,
    dead,
    get asked() {
      return checks.length;
    },
    last: () => checks.at(-1)!,
    busy(now: boolean) {
      busy = now;
    },
    async pass(ms: number) {
      clock.advance(ms);
      await settle();
    },
    async answer() {
      checks.at(-1)!.answer();
      await settle();
    },
    async fail(error: HostError = unreachable) {
      checks.at(-1)!.fail(error);
      await settle();
    },
  };
}

describe("HealthWatch", () => {
  describe("silent server", () => {
    it("is pinged once per interval", async () => {
      const at = watch();
      await at.pass(29_999);
      expect(at.asked).toBe(0);
      await at.pass(1);
      expect(at.asked).toBe(1);
      await at.answer();
      await at.pass(30_000);
      expect(at.asked).toBe(2);
    });

    it("is dead after two failed pings, the second after a short pause", async () => {
      const at = watch();
      await at.pass(30_000);
      await at.fail();
      expect(at.dead).toEqual([]);
      await at.pass(1000);
      await at.fail(lost);
      expect(at.dead).toEqual(["CONNECTION_LOST"]);
      expect(at.clock.pendingTimers).toBe(0);
    });

    it("is alive if it answers between two failures", async () => {
      const at = watch();
      for (const round of [1, 2, 3]) {
        await at.pass(30_000);
        await at.fail();
        await at.pass(1000);
        expect(at.asked).toBe(2 * round);
        await at.answer();
      }
      expect(at.dead).toEqual([]);
    });

    it("gets one ping at a time, with a timeout", async () => {
      const at = watch();
      await at.pass(30_000);
      at.health.onRequestFailed(unreachable);
      expect(at.asked).toBe(1);
      await at.pass(10_000);
      expect(at.last().signal.aborted).toBe(true);
      await at.pass(1000);
      await at.pass(10_000);
      expect(at).toMatchObject({ asked: 2, dead: ["CONNECTION_LOST"] });
    });

    it.each([
      ["that it is overloaded", busy],
      ["that the method is unknown", refused],
    ])("is alive if it answers %s", async (_, error) => {
      const at = watch();
      await at.pass(30_000);
      await at.fail(error);
      await at.pass(30_000);
      await at.fail(error);
      expect(at.dead).toEqual([]);
    });

    it("is closed at once if a login is required", async () => {
      const at = watch();
      await at.pass(30_000);
      await at.fail(login);
      expect(at.dead).toEqual(["AUTH_REQUIRED"]);
    });
  });

  describe("server that handles a call", () => {
    it("is not pinged during a long call", async () => {
      const at = watch();
      at.busy(true);
      await at.pass(600_000);
      expect(at.asked).toBe(0);
      at.busy(false);
      await at.pass(30_000);
      expect(at.asked).toBe(1);
    });

    it("gets no second ping either", async () => {
      const at = watch();
      await at.pass(30_000);
      await at.fail();
      at.busy(true);
      await at.pass(60_000);
      expect(at).toMatchObject({ asked: 1, dead: [] });
      at.health.markAlive();
      at.busy(false);
      await at.pass(1000);
      expect(at.asked).toBe(1);
    });

    it("is pinged within an interval after a call has timed out, even if others are open", async () => {
      const at = watch();
      at.busy(true);
      await at.pass(60_000);
      at.health.onRequestFailed(timedOut);
      expect(at.asked).toBe(0);
      await at.pass(30_000);
      expect(at.asked).toBe(1);
      await at.pass(10_000);
      await at.pass(1000);
      await at.pass(10_000);
      expect(at.dead).toEqual(["CONNECTION_LOST"]);
    });

    it.each<[string, (at: ReturnType<typeof watch>) => unknown]>([
      ["answers another call", (at) => at.health.markAlive()],
      ["answers the check", async (at) => (await at.pass(30_000), at.answer())],
    ])("is no longer pinged if it %s after a call has timed out", async (_, answers) => {
      const at = watch();
      at.busy(true);
      at.health.onRequestFailed(timedOut);
      await answers(at);
      const { asked } = at;
      await at.pass(600_000);
      expect(at.asked).toBe(asked);
    });
  });

  describe("second ping", () => {
    it("may use another request than the first", async () => {
      const at = watch();
      await at.pass(30_000);
      expect(at.last().again).toBe(false);
      await at.fail();
      await at.pass(1000);
      expect(at.last().again).toBe(true);
      await at.answer();
      await at.pass(30_000);
      expect(at.last().again).toBe(false);
    });
  });

  describe("server that answers requests", () => {
    it("is not pinged", async () => {
      const at = watch();
      for (let n = 0; n < 5; n++) {
        at.health.markAlive();
        await at.pass(30_000);
      }
      expect(at.asked).toBe(0);
      await at.pass(30_000);
      expect(at.asked).toBe(1);
    });

    it("is alive, even if a ping fails meanwhile", async () => {
      const at = watch();
      await at.pass(30_000);
      at.health.markAlive();
      await at.fail();
      await at.pass(60_000);
      expect(at.asked).toBe(2);
      await at.fail();
      at.health.onRequestFailed(refused);
      await at.pass(1000);
      expect(at).toMatchObject({ asked: 2, dead: [] });
    });
  });

  describe("lost request", () => {
    it.each([undefined, 30_000])("causes a ping at once (interval: %s)", async (intervalMs) => {
      const at = watch(intervalMs);
      at.health.onRequestFailed(lost);
      expect(at.asked).toBe(1);
      await at.fail();
      at.health.onRequestFailed(lost);
      expect(at.asked).toBe(1);
      await at.pass(1000);
      await at.fail();
      expect(at.dead).toEqual(["SERVER_UNREACHABLE"]);
    });

    it("causes no ping at once if it timed out or was cancelled", () => {
      const at = watch();
      at.health.onRequestFailed(new HostError("CANCELLED", { reason: "" }));
      at.health.onRequestFailed(timedOut);
      expect(at.asked).toBe(0);
    });
  });

  it("leaves no timer when it is stopped, and reports no more errors", async () => {
    const at = watch();
    await at.pass(30_000);
    at.health.stop();
    expect(at.last().signal.aborted).toBe(true);
    await at.fail();
    at.health.onRequestFailed(lost);
    await at.pass(90_000);
    expect(at).toMatchObject({ asked: 1, dead: [] });
    expect(at.clock.pendingTimers).toBe(0);
  });
});
