import type { HostEvent } from "@plugboard/contracts";
import { BATCH_MS, EventBatch } from "#connection/event-batch.js";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const event = (seq: number): HostEvent => ({ type: "server.changed", server: "s", state: "ready", seq, at: 0 });

it("EventBatch applies the events of one frame together and in order, and later events in another batch", async () => {
  const batches: number[][] = [];
  const batch = new EventBatch((events) => batches.push(events.map(({ seq }) => seq)));
  for (const seq of [1, 2, 3]) batch.add(event(seq));
  expect(batches).toEqual([]);
  await vi.advanceTimersByTimeAsync(BATCH_MS);
  batch.add(event(4));
  await vi.advanceTimersByTimeAsync(10 * BATCH_MS);
  expect(batches).toEqual([[1, 2, 3], [4]]);
});
