import { PageSessions } from "#page/page-sessions.js";
import { describe, expect, it } from "vitest";

function makeSessions() {
  let now = 0;
  let made = 0;
  const sessions = new PageSessions({ clock: { now: () => now }, newSecret: () => `secret-${++made}` });
  return { sessions, passMs: (ms: number) => void (now += ms) };
}

describe("PageSessions", () => {
  it("signs a browser in once for each code", () => {
    const { sessions } = makeSessions();
    const { code } = sessions.createCode();
    const session = sessions.redeem(code)!;
    expect(sessions.has(session)).toBe(true);
    expect(sessions.redeem(code)).toBeUndefined();
    expect(sessions.redeem("guess")).toBeUndefined();
  });

  it("rejects a code after ten minutes, and a session after thirty days", () => {
    const { sessions, passMs } = makeSessions();
    const [used, late] = [sessions.createCode(), sessions.createCode()];
    passMs(10 * 60_000 - 1);
    const session = sessions.redeem(used.code)!;
    passMs(1);
    expect(sessions.redeem(late.code)).toBeUndefined();
    passMs(30 * 24 * 3_600_000 - 2);
    expect(sessions.has(session)).toBe(true);
    passMs(1);
    expect(sessions.has(session)).toBe(false);
  });

  it("needs the cookie and the key of the same session", () => {
    const { sessions } = makeSessions();
    const one = sessions.redeem(sessions.createCode().code)!;
    const other = sessions.redeem(sessions.createCode().code)!;
    expect(sessions.has({ cookie: one.cookie, key: other.key })).toBe(false);
    sessions.end(one);
    expect([sessions.has(one), sessions.has(other)]).toEqual([false, true]);
  });

  it("keeps the cookie of a browser that signs in again, so that its other tabs stay signed in", () => {
    const { sessions } = makeSessions();
    const redeem = (cookies: readonly string[]) => sessions.redeem(sessions.createCode().code, cookies)!;
    const first = redeem(["set by another port"]);
    expect(first.cookie).not.toBe("set by another port");
    const second = redeem(["set by another port", first.cookie]);
    expect(second).toEqual({ cookie: first.cookie, key: expect.not.stringMatching(first.key) as string });
    expect([sessions.has(first), sessions.has(second)]).toEqual([true, true]);
    sessions.end(second);
    expect([sessions.has(first), sessions.has(second)]).toEqual([false, false]);
    expect(redeem([first.cookie]).cookie).not.toBe(first.cookie);
  });

  it("keeps only a limited number of codes and sessions, and drops the oldest", () => {
    const { sessions } = makeSessions();
    const codes = Array.from({ length: 101 }, () => sessions.createCode().code);
    expect(sessions.redeem(codes[0]!)).toBeUndefined();
    const first = sessions.redeem(codes[1]!)!;
    for (let n = 0; n < 100; n++) sessions.redeem(sessions.createCode().code);
    expect(sessions.has(first)).toBe(false);
  });
});
