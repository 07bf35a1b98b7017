/** Tests the delays between the attempts of a request, with a model in the same process. */
import { getEventListeners } from "node:events";
import type { Model, ModelPart } from "@plugboard/agent";
import { withRetries } from "#models/with-retries.js";
import { HostError } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { finish } from "../helpers/fake-model.ts";
import { InstantClock } from "../helpers/scripted-turn.ts";

type Details = { readonly unreachable?: true; readonly retryAfterMs?: number };
const unavailable = (details: Details = {}) =>
  new HostError("MODEL_UNAVAILABLE", { model: "own/x", reason: "busy", ...details });

/** Fails with the errors one after another, and then answers. */
function failing(errors: readonly unknown[]): Model & { readonly attempts: () => number } {
  let attempt = 0;
  return {
    id: "own/x",
    contextTokens: 9,
    attempts: () => attempt,
    async *stream() {
      if (attempt < errors.length) throw errors[attempt++];
      attempt++;
      yield finish();
    },
  };
}

const request = (signal = new AbortController().signal) => ({ system: "", messages: [], tools: [], signal });

async function partsOf(model: Model, signal?: AbortSignal): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of model.stream(request(signal))) parts.push(part);
  return parts;
}

describe("withRetries", () => {
  const many = (count: number, details?: Details) => Array.from({ length: count }, () => unavailable(details));

  it("keeps the other fields of the model, and does not retry a request that succeeds", async () => {
    const model = withRetries(failing([]));
    expect(model).toMatchObject({ id: "own/x", contextTokens: 9 });
    expect(await partsOf(model)).toEqual([finish()]);
  });

  it("tries six times by default, with doubled delays of at most 30 seconds", async () => {
    const clock = new InstantClock();
    const parts = await partsOf(withRetries(failing(many(5)), { clock, random: () => 0 }));
    expect(parts).toEqual([
      ...[1000, 2000, 4000, 8000, 16_000].map((delayMs, index) => ({
        type: "retry",
        attempt: index + 1,
        delayMs,
        reason: "busy",
      })),
      finish(),
    ]);
    expect(clock.delays).toEqual([1000, 2000, 4000, 8000, 16_000]);
    await expect(partsOf(withRetries(failing(many(6)), { clock }))).rejects.toMatchObject({
      code: "MODEL_UNAVAILABLE",
    });
    const longer = new InstantClock();
    await partsOf(withRetries(failing(many(7)), { clock: longer, random: () => 0, retries: 7 }));
    expect(longer.delays.slice(5)).toEqual([30_000, 30_000]);
  });

  it("shortens a delay at random by up to half", async () => {
    for (const [random, delay] of [
      [1, 500],
      [0.5, 750],
    ] as const) {
      const clock = new InstantClock();
      await partsOf(withRetries(failing(many(1)), { clock, random: () => random }));
      expect(clock.delays).toEqual([delay]);
    }
  });

  it("uses the delay that the provider asks for, up to a minute", async () => {
    const clock = new InstantClock();
    await partsOf(withRetries(failing(many(1, { retryAfterMs: 60_000 })), { clock }));
    expect(clock.delays).toEqual([60_000]);
    const model = failing(many(1, { retryAfterMs: 60_001 }));
    await expect(partsOf(withRetries(model, { clock }))).rejects.toMatchObject({ details: { retryAfterMs: 60_001 } });
    expect(model.attempts()).toBe(1);
  });

  it("tries an unreachable server three times", async () => {
    const clock = new InstantClock();
    expect(await partsOf(withRetries(failing(many(2, { unreachable: true })), { clock }))).toHaveLength(3);
    const model = failing(many(3, { unreachable: true }));
    await expect(partsOf(withRetries(model, { clock }))).rejects.toMatchObject({ code: "MODEL_UNAVAILABLE" });
    expect(model.attempts()).toBe(3);
  });

  it.each([new HostError("MODEL_FAILED", { model: "own/x", reason: "no" }), new Error("defect")])(
    "does not repeat a request after another error: %s",
    async (error) => {
      const model = failing([error]);
      await expect(partsOf(withRetries(model, { clock: new InstantClock() }))).rejects.toBe(error);
      expect(model.attempts()).toBe(1);
    },
  );

  it("does not repeat a cancelled request", async () => {
    const model = failing(many(2));
    const retrying = partsOf(withRetries(model, { clock: new InstantClock() }), AbortSignal.abort());
    await expect(retrying).rejects.toMatchObject({ code: "MODEL_UNAVAILABLE" });
    expect(model.attempts()).toBe(1);
  });

  it("waits for the whole delay", async () => {
    const [clock, model] = [new ManualClock(), failing(many(1))];
    const { signal } = new AbortController();
    const running = partsOf(withRetries(model, { clock, random: () => 0 }), signal);
    await new Promise(setImmediate);
    clock.advance(999);
    await new Promise(setImmediate);
    expect(model.attempts()).toBe(1);
    clock.advance(1);
    expect(await running).toHaveLength(2);
    expect(clock.pendingTimers).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("ends the delay of a cancelled request, and leaves no listener and no timer", async () => {
    const [clock, model, cancel] = [new ManualClock(), failing(many(1)), new AbortController()];
    const { signal } = cancel;
    const listeners = () => getEventListeners(signal, "abort").length;
    const running = partsOf(withRetries(model, { clock }), signal);
    await new Promise(setImmediate);
    expect(listeners()).toBe(1);
    cancel.abort();
    await expect(running).rejects.toMatchObject({ code: "MODEL_UNAVAILABLE" });
    expect([listeners(), clock.pendingTimers, model.attempts()]).toEqual([0, 0, 1]);
  });

  it("ends a delay that begins after the cancellation", async () => {
    const [clock, model, cancel] = [new ManualClock(), failing(many(1)), new AbortController()];
    const parts = withRetries(model, { clock }).stream(request(cancel.signal))[Symbol.asyncIterator]();
    expect((await parts.next()).value).toMatchObject({ type: "retry" });
    cancel.abort();
    await expect(parts.next()).rejects.toMatchObject({ code: "MODEL_UNAVAILABLE" });
    expect([clock.pendingTimers, model.attempts()]).toEqual([0, 1]);
  });
});
