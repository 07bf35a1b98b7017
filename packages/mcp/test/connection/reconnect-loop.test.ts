/** Tests how links are opened, lost and closed, with a manual clock. */
import { ReconnectLoop } from "#connection/reconnect-loop.js";
import type { ConnectAttempt } from "#connection/reconnect-loop.js";
import type { ReconnectPolicy } from "#connection/connection-state.js";
import { HostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const server = "tested";
const crash = new HostError("SERVER_CRASHED", { server, exit: "exit code 1" });
const missing = new HostError("SERVER_SPAWN_FAILED", { server, command: "x", reason: "not found" });
const login = new HostError("AUTH_REQUIRED", { server });

const pace = { initialMs: 1000, maxMs: 30_000 };

/** A loop whose links the test opens, fails and loses, attempt by attempt. */
class Links {
  readonly clock = new ManualClock();
  readonly phases: string[] = [];
  readonly closed: number[] = [];
  /** Delays the closing of links until the test resolves it. */
  closing: Promise<void> = Promise.resolve();
  /** Whether the current link has answered a call. */
  served = false;
  readonly loop: ReconnectLoop<number>;
  readonly #attempts: (ConnectAttempt & { resolve: (link: number) => void; reject: (error: HostError) => void })[] = [];

  constructor(policy: ReconnectPolicy = { pace, giveUp: { failures: 5, withinMs: 180_000, restartAfterMs: 60_000 } }) {
    this.loop = new ReconnectLoop<number>({
      server,
      clock: this.clock,
      random: () => 0,
      policy,
      stableAfterMs: 60_000,
      open: (attempt) =>
        new Promise((resolve, reject) => {
          attempt.signal.addEventListener("abort", () => reject(new Error("cancelled")));
          this.#attempts.push({ ...attempt, resolve, reject });
        }),
      close: async (link) => {
        await this.closing;
        this.closed.push(link);
      },
      hasServed: () => this.served,
      onChanged: ({ phase }) => void this.phases.push(phase),
    });
  }

  get isAwaited(): boolean {
    return this.#attempts.at(-1)!.isAwaited();
  }

  get attemptCount(): number {
    return this.#attempts.length;
  }

  async open(): Promise<void> {
    await settle();
    this.#attempts.at(-1)!.resolve(this.attemptCount);
    await settle();
  }

  async fail(error: HostError = crash): Promise<void> {
    await settle();
    this.#attempts.at(-1)!.reject(error);
    await settle();
  }

  async lose(error: HostError = crash, attempt = this.attemptCount): Promise<void> {
    this.#attempts[attempt - 1]!.fail(error);
    await settle();
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await settle();
  }
}

/** Waits for pending microtasks and I/O callbacks. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function ready(): Promise<Links> {
  const links = new Links();
  const opened = links.loop.ready();
  await links.open();
  await opened;
  return links;
}

/** Returns the current result of a promise. */
function outcomeOf<T>(promise: Promise<T>): { value?: T; code?: string } {
  const outcome: { value?: T; code?: string } = {};
  promise.then(
    (value) => (outcome.value = value),
    (error: HostError) => (outcome.code = error.code),
  );
  return outcome;
}

describe("ReconnectLoop", () => {
  describe("link", () => {
    it("is opened once for all waiting callers", { meta: { covers: ["R1.37", "R2.27"] } }, async () => {
      const links = new Links();
      const waiters = [links.loop.ready(), links.loop.ready()];
      await links.open();
      expect(await Promise.all(waiters)).toEqual([1, 1]);
      expect(await links.loop.ready()).toBe(1);
      expect(links.attemptCount).toBe(1);
    });

    it("is not opened for a caller that is already cancelled", async () => {
      const links = new Links();
      await expect(links.loop.ready({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "CANCELLED" });
      expect(links.attemptCount).toBe(0);
    });

    it(
      "fails permanently after five crashes in three minutes, in spite of wall clock changes",
      { meta: { covers: ["F47"] } },
      async () => {
        const links = await ready();
        for (let crashes = 1; crashes < 5; crashes++) {
          await links.lose();
          links.clock.shiftWallClock(3_600_000);
          await links.pass(30_000);
          await links.open();
        }
        await links.lose();
        expect(links.loop.state).toMatchObject({ phase: "error" });
      },
    );

    it("is reopened automatically after it was lost", async () => {
      const links = await ready();
      await links.lose();
      expect(links.loop).toMatchObject({ state: { phase: "waiting", retryAt: 1000 }, link: undefined });
      await links.pass(999);
      expect(links.attemptCount).toBe(1);
      await links.pass(1);
      await links.open();
      expect(links.loop).toMatchObject({ state: { phase: "ready", restarts: 1 }, link: 2 });
      expect(links.phases).toEqual(["connecting", "ready", "waiting", "connecting", "ready"]);
    });

    it("is closed before the next one is opened", async () => {
      const links = await ready();
      let letClose = () => {};
      links.closing = new Promise((resolve) => (letClose = resolve));
      await links.lose();
      await links.pass(1000);
      expect(links).toMatchObject({ attemptCount: 1, closed: [] });
      letClose();
      await settle();
      expect(links).toMatchObject({ attemptCount: 2, closed: [1] });
    });

    it("is not affected by errors of an earlier link", async () => {
      const links = await ready();
      await links.lose();
      await links.pass(1000);
      await links.lose(crash, 1);
      await links.open();
      await links.lose(crash, 1);
      expect(links.loop).toMatchObject({ state: { phase: "ready", failures: 1 }, link: 2 });
    });

    it("has its failures reset after exactly a minute", async () => {
      const links = await ready();
      await links.lose();
      await links.pass(1000);
      await links.open();
      await links.pass(59_999);
      expect(links.loop.state.failures).toBe(1);
      await links.pass(1);
      expect(links.loop.state.failures).toBe(0);
    });
  });

  describe("waiting caller", () => {
    it("gets the error of the running attempt, without waiting for the next one", async () => {
      const links = new Links();
      const waiter = links.loop.ready();
      const rejected = expect(waiter).rejects.toBe(crash);
      await links.fail();
      await rejected;
      expect(links.loop.state.phase).toBe("waiting");
    });

    it("gets the error if the link fails while it is opened", async () => {
      const links = new Links();
      const waiter = outcomeOf(links.loop.ready());
      await settle();
      await links.lose();
      expect(waiter.code).toBe("SERVER_CRASHED");
      expect(links.loop.state).toMatchObject({ phase: "waiting", failures: 1 });
    });

    it("waits for the next attempt if it begins to wait during a pause", async () => {
      const links = await ready();
      await links.lose();
      const waiter = outcomeOf(links.loop.ready());
      await links.pass(1000);
      expect(waiter).toEqual({});
      await links.open();
      expect(waiter.value).toBe(2);
    });

    it("can be cancelled without affecting other callers", async () => {
      const links = await ready();
      await links.lose();
      const abort = new AbortController();
      const [impatient, patient] = [
        outcomeOf(links.loop.ready({ signal: abort.signal })),
        outcomeOf(links.loop.ready()),
      ];
      abort.abort();
      await links.pass(1000);
      await links.open();
      expect([impatient, patient]).toEqual([{ code: "CANCELLED" }, { value: 2 }]);
    });

    it.each([
      ["failed permanently", missing, "error"],
      ["logged out", login, "auth_required"],
    ])("gets the error at once if the connection is %s", async (_, error, phase) => {
      const links = new Links();
      links.loop.ready().catch(() => {});
      await links.fail(error);
      expect(links.loop.state.phase).toBe(phase);
      await expect(links.loop.ready()).rejects.toBe(error);
      expect(links.attemptCount).toBe(1);
      expect(links.clock.pendingTimers).toBe(0);
    });
  });

  it("marks an attempt as awaited only while a foreground caller waits", async () => {
    const links = new Links();
    links.loop.ready({ background: true }).catch(() => {});
    await settle();
    expect(links.isAwaited).toBe(false);
    const abort = new AbortController();
    const waiter = outcomeOf(links.loop.ready({ signal: abort.signal }));
    expect(links.isAwaited).toBe(true);
    abort.abort();
    await settle();
    expect(links.isAwaited).toBe(false);
    expect(waiter.code).toBe("CANCELLED");
  });

  describe("retry", () => {
    it.each([
      ["a permanently failed link", missing],
      ["a link that needs a login", login],
      ["a link between two attempts", crash],
    ])("opens %s at once, and allows the full number of attempts again", async (_, error) => {
      const links = new Links();
      links.loop.ready().catch(() => {});
      await links.fail(error);
      const retried = links.loop.retry();
      expect(links.loop.state).toMatchObject({ phase: "connecting", failures: 0, error });
      await links.open();
      expect(await retried).toBe(2);
      // The pause has ended.
      expect(links.clock.pendingTimers).toBe(1);
    });

    it("joins the running attempt", async () => {
      const links = new Links();
      const [first, second] = [links.loop.ready(), links.loop.retry()];
      await links.open();
      expect(await Promise.all([first, second])).toEqual([1, 1]);
    });

    it("does nothing for an open link", async () => {
      const links = await ready();
      expect(await links.loop.retry()).toBe(1);
    });
  });

  it("fails permanently after five crashes with growing pauses", async () => {
    const links = new Links();
    links.loop.ready().catch(() => {});
    const pauses: number[] = [];
    for (let n = 0; n < 5; n++) {
      await links.open();
      await links.lose();
      const { state } = links.loop;
      if (state.phase !== "waiting") break;
      pauses.push(state.retryAt - links.clock.now());
      await links.pass(state.retryAt - links.clock.now());
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000]);
    expect(links.loop.state).toMatchObject({
      phase: "error",
      error: { code: crash.code, details: { ...crash.details, failures: 5 } },
    });
    expect(links.clock.pendingTimers).toBe(0);
  });

  it("reopens a link that serves calls after each of twenty crashes", { meta: { covers: ["F56"] } }, async () => {
    const links = await ready();
    links.served = true;
    for (let crashes = 0; crashes < 20; crashes++) {
      await links.pass(20_000);
      await links.lose();
      await links.pass(1000);
      await links.open();
    }
    expect(links.loop).toMatchObject({ state: { phase: "ready", restarts: 20 }, link: 21 });
  });

  describe("link that was given up", { meta: { covers: ["F56"] } }, () => {
    async function givenUp(): Promise<Links> {
      const links = await ready();
      for (let crashes = 1; crashes < 5; crashes++) {
        await links.lose();
        await links.pass(30_000);
        await links.open();
      }
      await links.lose();
      expect(links).toMatchObject({ attemptCount: 5, loop: { state: { phase: "error" } } });
      return links;
    }

    it("is opened a minute after the last crash if there is a caller, but not by itself", async () => {
      const links = await givenUp();
      await links.pass(59_999);
      await expect(links.loop.ready()).rejects.toMatchObject({ code: "SERVER_CRASHED" });
      await links.pass(600_000);
      expect(links.attemptCount).toBe(5);
      const waiter = links.loop.ready();
      await links.open();
      expect(await waiter).toBe(6);
    });

    it("is not opened by a caller that is already cancelled", async () => {
      const links = await givenUp();
      await links.pass(60_000);
      await expect(links.loop.ready({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "SERVER_CRASHED" });
      expect(links.attemptCount).toBe(5);
    });

    it("is opened at most once a minute if it fails each time", async () => {
      const links = await givenUp();
      for (let seconds = 1; seconds <= 600; seconds++) {
        await links.pass(1000);
        const waiter = outcomeOf(links.loop.ready());
        if (links.loop.state.phase === "connecting") await links.fail();
        await settle();
        expect(waiter.code).toBe("SERVER_CRASHED");
      }
      expect(links.attemptCount).toBe(5 + 10);
    });
  });

  describe("disconnect", () => {
    it("closes the link, and the next caller opens a new one", async () => {
      const links = await ready();
      links.loop.disconnect();
      await settle();
      expect(links).toMatchObject({ closed: [1], loop: { state: { phase: "idle" }, link: undefined } });
      expect(links.clock.pendingTimers).toBe(0);
      const again = links.loop.ready();
      await links.open();
      expect(await again).toBe(2);
    });
  });

  describe("stop", () => {
    it.each([
      ["that is open", async (links: Links) => links.open()],
      ["that is being opened", async () => settle()],
      ["between two attempts", async (links: Links) => links.fail()],
    ])("closes a link %s, leaves no timer, and rejects waiting callers", async (_, bring) => {
      const links = new Links();
      links.loop.ready().catch(() => {});
      await bring(links);
      const waiter = outcomeOf(links.loop.ready());
      await links.loop.stop();
      await settle();
      expect(waiter).toEqual(links.phases.includes("ready") ? { value: 1 } : { code: "CONNECTION_CLOSED" });
      expect(links.loop).toMatchObject({ state: { phase: "idle" }, link: undefined });
      expect(links.clock.pendingTimers).toBe(0);
      await expect(links.loop.ready()).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
      await expect(links.loop.retry()).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
      expect(links.attemptCount).toBe(1);
    });

    it("closes a link that was opened at the same moment", async () => {
      const links = new Links();
      const waiter = outcomeOf(links.loop.ready());
      await settle();
      const stopped = links.loop.stop();
      await stopped;
      expect(waiter.code).toBe("CONNECTION_CLOSED");
      expect(links.loop.link).toBeUndefined();
    });
  });
});
