import { setImmediate } from "node:timers/promises";
import { awakeTimeout } from "#files/awake-timeout.js";
import { describe, expect, it } from "vitest";

describe("awakeTimeout", () => {
  it("does not count the time for which the event loop was blocked", async () => {
    const { over } = awakeTimeout(100);
    let isOver = false;
    void over.then(() => (isOver = true));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    await setImmediate();
    await setImmediate();
    expect(isOver).toBe(false);
    await over;
  });
});
