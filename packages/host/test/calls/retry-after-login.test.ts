import { retryAfterLogin } from "#calls/retry-after-login.js";
import type { AskForLogin } from "#calls/retry-after-login.js";
import { HostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import { describe, expect, it, vi } from "vitest";

const context = { caller: { kind: "program", id: "ann" } as Caller };
const authRequired = new HostError("AUTH_REQUIRED", { server: "x" });

/** Creates work that fails with AUTH_REQUIRED the given number of times. */
function refused(times: number) {
  let left = times;
  return vi.fn<() => Promise<string>>(() => (left-- > 0 ? Promise.reject(authRequired) : Promise.resolve("done")));
}

describe("retryAfterLogin", () => {
  it("does not ask for a login if the work succeeds", async () => {
    const ask = vi.fn<AskForLogin>();
    expect(await retryAfterLogin(ask, context, refused(0))).toBe("done");
    expect(ask).not.toHaveBeenCalled();
  });

  it("repeats the work after a login", async () => {
    const ask = vi.fn<AskForLogin>(() => Promise.resolve(true));
    const work = refused(1);
    expect(await retryAfterLogin(ask, context, work)).toBe("done");
    expect(ask).toHaveBeenCalledExactlyOnceWith(authRequired, context);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it("asks for at most three logins", async () => {
    const ask = vi.fn<AskForLogin>(() => Promise.resolve(true));
    await expect(retryAfterLogin(ask, context, refused(9))).rejects.toBe(authRequired);
    expect(ask).toHaveBeenCalledTimes(3);
  });

  it.each<[string, AskForLogin | undefined]>([
    ["the caller does not log in", () => Promise.resolve(false)],
    ["nobody can be asked", undefined],
  ])("throws the error of the work if %s", async (_, ask) => {
    await expect(retryAfterLogin(ask, context, refused(1))).rejects.toBe(authRequired);
  });

  it("throws the error of a login that fails", async () => {
    const failure = new HostError("CANCELLED", { reason: "the caller cancelled it" });
    await expect(retryAfterLogin(() => Promise.reject(failure), context, refused(1))).rejects.toBe(failure);
  });

  it("throws other errors without asking for a login", async () => {
    const ask = vi.fn<AskForLogin>();
    const crashed = new HostError("CONNECTION_CLOSED", { server: "x" });
    await expect(retryAfterLogin(ask, context, () => Promise.reject(crashed))).rejects.toBe(crashed);
    expect(ask).not.toHaveBeenCalled();
  });
});
