/** Tests the order of starts, and how many servers start at the same time, with a manual clock. */
import { StartQueue } from "#process/start-queue.js";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

/** Two servers may start at the same time. */
class Starts {
  readonly clock = new ManualClock();
  readonly queue = new StartQueue(this.clock, 2);
  readonly started: string[] = [];
  readonly #ends = new Map<string, () => void>();

  async begin(
    name: string,
    { isAwaited = (): boolean => false, signal = new AbortController().signal } = {},
  ): Promise<void> {
    const end = await this.queue.begin({ isAwaited, signal });
    this.started.push(name);
    this.#ends.set(name, end);
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)!();
    await settle();
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("StartQueue", { meta: { covers: ["F55"] } }, () => {
  it("lets a server start at once while fewer than the limit start", () => {
    const { queue } = new Starts();
    const start = { isAwaited: () => false, signal: new AbortController().signal };
    expect([queue.begin(start), queue.begin(start)]).toEqual([expect.any(Function), expect.any(Function)]);
    expect(queue.begin(start)).toBeInstanceOf(Promise);
  });

  it("starts the next server when another has started, in the order of the requests", async () => {
    const starts = new Starts();
    for (const name of ["a", "b", "c", "d"]) void starts.begin(name);
    await settle();
    expect(starts.started).toEqual(["a", "b"]);
    await starts.end("b");
    expect(starts.started).toEqual(["a", "b", "c"]);
    await starts.end("b");
    expect(starts.started).toEqual(["a", "b", "c"]);
    await starts.end("a");
    expect(starts.started).toEqual(["a", "b", "c", "d"]);
  });

  it("prefers a server that a caller waits for, even if the caller came while the server was queued", async () => {
    const starts = new Starts();
    let isAwaited = false;
    for (const name of ["a", "b", "c"]) void starts.begin(name);
    void starts.begin("wanted", { isAwaited: () => isAwaited });
    await settle();
    isAwaited = true;
    await starts.end("a");
    expect(starts.started).toEqual(["a", "b", "wanted"]);
    await starts.end("wanted");
    expect(starts.started).toEqual(["a", "b", "wanted", "c"]);
  });

  it("forgets a queued server whose start is cancelled, and rejects it with the reason", async () => {
    const starts = new Starts();
    const abort = new AbortController();
    for (const name of ["a", "b"]) void starts.begin(name);
    const cancelled = expect(starts.begin("c", { signal: abort.signal })).rejects.toThrow("no longer needed");
    await expect(starts.begin("e", { signal: AbortSignal.abort(new Error("over")) })).rejects.toThrow("over");
    void starts.begin("d");
    abort.abort(new Error("no longer needed"));
    await cancelled;
    await starts.end("a");
    expect(starts.started).toEqual(["a", "b", "d"]);
  });

  it("stops counting a start after five seconds, so that a server that hangs does not hold up others", async () => {
    const starts = new Starts();
    for (const name of ["a", "b", "c", "d", "e"]) void starts.begin(name);
    await settle();
    starts.clock.advance(4999);
    await settle();
    expect(starts.started).toEqual(["a", "b"]);
    starts.clock.advance(1);
    await settle();
    expect(starts.started).toEqual(["a", "b", "c", "d"]);
    // The start of `a` no longer counts, so its end makes no room.
    await starts.end("a");
    expect(starts.started).toHaveLength(4);
    for (const name of ["b", "c", "d", "e"]) await starts.end(name);
    expect(starts.clock.pendingTimers).toBe(0);
  });

  it("starts a server after fifteen seconds behind six servers that hang, if two may start at the same time", async () => {
    const starts = new Starts();
    for (const name of ["a", "b", "c", "d", "e", "f"]) void starts.begin(name, { isAwaited: () => true });
    void starts.begin("good", { isAwaited: () => true });
    for (let ms = 0; ms < 15_000; ms += 5000) {
      await settle();
      expect(starts.started).not.toContain("good");
      starts.clock.advance(5000);
    }
    await settle();
    expect(starts.started).toContain("good");
  });
});
