import { describe, expect, it, vi } from "vitest";
import { Cancellation, toAbortSignal } from "#async/cancellation.js";

describe("a cancellation", () => {
  it("calls each listener once, in order, with the reason of the first abort", () => {
    const cancellation = new Cancellation();
    const told: string[] = [];
    cancellation.addEventListener("abort", () => told.push(`first: ${String(cancellation.reason)}`));
    cancellation.addEventListener("abort", () => told.push("second"));
    cancellation.abort("the client went away");
    cancellation.abort("again");
    expect(told).toEqual(["first: the client went away", "second"]);
    expect(cancellation).toMatchObject({ aborted: true, reason: "the client went away" });
  });

  it("calls no listener that was removed, or added after the abort", () => {
    const cancellation = new Cancellation();
    const removed = vi.fn();
    const kept = vi.fn();
    cancellation.addEventListener("abort", removed);
    cancellation.addEventListener("abort", kept);
    cancellation.removeEventListener("abort", removed);
    cancellation.abort("cancelled");
    const late = vi.fn();
    cancellation.addEventListener("abort", late);
    cancellation.abort("again");
    expect([removed, kept, late].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 0]);
  });
});

describe("a listener of a cancellation", () => {
  it("is not called if an earlier listener removes it", () => {
    const cancellation = new Cancellation();
    const removed = vi.fn();
    cancellation.addEventListener("abort", () => cancellation.removeEventListener("abort", removed));
    cancellation.addEventListener("abort", removed);
    cancellation.abort("cancelled");
    expect(removed).not.toHaveBeenCalled();
  });

  it("that throws does not prevent the abort signal from aborting", () => {
    const cancellation = new Cancellation();
    const signal = toAbortSignal(cancellation);
    cancellation.addEventListener("abort", () => {
      throw new Error("broken");
    });
    expect(() => cancellation.abort("cancelled")).toThrow("broken");
    expect(signal.aborted).toBe(true);
  });
});

describe("the abort signal of a cancellation", () => {
  it("is always the same object, and aborts with the cancellation", () => {
    const cancellation = new Cancellation();
    const signal = toAbortSignal(cancellation);
    expect(toAbortSignal(cancellation)).toBe(signal);
    expect(signal.aborted).toBe(false);
    cancellation.abort("the client went away");
    expect(signal).toMatchObject({ aborted: true, reason: "the client went away" });
  });

  it("is aborted from the start if the call was cancelled before", () => {
    const cancellation = new Cancellation();
    cancellation.abort("the host is closing");
    expect(toAbortSignal(cancellation)).toMatchObject({ aborted: true, reason: "the host is closing" });
  });

  it("is the caller's own signal if that is an AbortSignal already", () => {
    const { signal } = new AbortController();
    expect(toAbortSignal(signal)).toBe(signal);
    expect(toAbortSignal(undefined)).toBeUndefined();
  });
});
