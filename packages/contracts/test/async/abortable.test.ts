/** Tests `abortable` and `Listeners`. */
import { abortable } from "#async/abortable.js";
import { cancelled } from "#errors/error.js";
import { Listeners } from "#lib/listeners.js";
import { describe, expect, it } from "vitest";

const never = new Promise<never>(() => {});

describe("abortable", () => {
  it("returns the same promise if there is no signal", () => {
    expect(abortable(never, undefined)).toBe(never);
  });

  it("settles like the promise while the signal is not aborted", async () => {
    const { signal } = new AbortController();
    expect(await abortable(Promise.resolve(1), signal)).toBe(1);
    await expect(abortable(Promise.reject(new Error("broken")), signal)).rejects.toThrow("broken");
  });

  it("rejects with CANCELLED when the signal is aborted", async () => {
    const controller = new AbortController();
    const waiting = abortable(never, controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject(cancelled());
  });

  it("rejects at once if the signal is aborted already", async () => {
    await expect(abortable(Promise.resolve(1), AbortSignal.abort())).rejects.toMatchObject({ code: "CANCELLED" });
  });

  it("rejects with the error of the given function", async () => {
    const waiting = abortable(never, AbortSignal.abort(), () => new Error("interrupted"));
    await expect(waiting).rejects.toThrow("interrupted");
  });
});

describe("Listeners", () => {
  it("passes the arguments of an event to every listener until it is removed", () => {
    const received: string[] = [];
    const listeners = new Listeners<[string]>();
    const remove = listeners.add((text) => received.push(`a ${text}`));
    listeners.add((text) => received.push(`b ${text}`));
    listeners.emit("1");
    remove();
    listeners.emit("2");
    expect(received).toEqual(["a 1", "b 1", "b 2"]);
    expect(listeners.isEmpty).toBe(false);
  });

  it("calls no listener that another listener adds or removes during the event", () => {
    const received: string[] = [];
    const listeners = new Listeners();
    listeners.add(() => {
      removeSecond();
      listeners.add(() => received.push("third"));
    });
    const removeSecond = listeners.add(() => received.push("second"));
    listeners.emit();
    expect(received).toEqual([]);
  });
});
