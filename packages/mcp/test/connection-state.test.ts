import { IDLE, step } from "#connection/state.js";
import type { ConnectionFact, ConnectionState } from "#connection/state.js";
import { HostError } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const crash = new HostError("SERVER_CRASHED", { server: "files", exit: "exit code 1" });
const login = new HostError("AUTH_REQUIRED", { server: "files" });

const wanted: ConnectionFact = { type: "wanted" };
const stopped: ConnectionFact = { type: "stopped" };
const opened = (attempt: number): ConnectionFact => ({ type: "opened", attempt });
const failed = (attempt: number, error: HostError = crash): ConnectionFact => ({ type: "failed", attempt, error });

const connecting: ConnectionState = { phase: "connecting", attempt: 3 };
const ready: ConnectionState = { phase: "ready", attempt: 3 };
const idle: ConnectionState = { phase: "idle", attempt: 3 };
const broken: ConnectionState = { phase: "error", attempt: 3, error: crash };
const loggedOut: ConnectionState = { phase: "auth_required", attempt: 3, error: login };

describe("a connection that is", () => {
  it.each([
    ["idle", "wanted", idle, wanted, { phase: "connecting", attempt: 4 }],
    ["broken", "wanted", broken, wanted, { phase: "connecting", attempt: 4 }],
    ["logged out", "wanted", loggedOut, wanted, { phase: "connecting", attempt: 4 }],
    ["connecting", "opened", connecting, opened(3), ready],
    ["connecting", "failed", connecting, failed(3), broken],
    ["connecting", "failed for want of a login", connecting, failed(3, login), loggedOut],
    ["ready", "lost", ready, failed(3), broken],
    ["ready", "lost for want of a login", ready, failed(3, login), loggedOut],
    ["connecting", "stopped", connecting, stopped, { phase: "idle", attempt: 4 }],
    ["ready", "stopped", ready, stopped, { phase: "idle", attempt: 4 }],
    ["broken", "stopped", broken, stopped, { phase: "idle", attempt: 4 }],
    ["logged out", "stopped", loggedOut, stopped, { phase: "idle", attempt: 4 }],
  ] as const)("%s and is %s", (_, __, state, fact, next) => {
    expect(step(state, fact)).toStrictEqual(next);
  });

  it.each([
    ["connecting", "wanted again", connecting, wanted],
    ["ready", "wanted again", ready, wanted],
    ["ready", "opened again", ready, opened(3)],
    ["idle", "opened", idle, opened(3)],
    ["idle", "failed", idle, failed(3)],
    ["idle", "stopped", idle, stopped],
    ["broken", "opened", broken, opened(3)],
    ["broken", "failed again", broken, failed(3, login)],
    ["logged out", "failed again", loggedOut, failed(3)],
  ] as const)("%s stays the same object when %s", (_, __, state, fact) => {
    expect(step(state, fact)).toBe(state);
  });
});

const anyState = fc.constantFrom(connecting, ready, idle, broken, loggedOut);

it("is not moved by news of any other attempt", () => {
  const otherAttempt = fc.integer({ min: 0, max: 9 }).filter((attempt) => attempt !== 3);
  const news = fc.constantFrom<((attempt: number) => ConnectionFact)[]>(opened, failed, (attempt) =>
    failed(attempt, login),
  );
  fc.assert(
    fc.property(anyState, otherAttempt, news, (state, attempt, make) => {
      expect(step(state, make(attempt))).toBe(state);
    }),
  );
});

it("never uses the number of an attempt twice, so that nothing old can come to apply again", () => {
  const fact = fc.constantFrom("wanted", "stopped", "opened", "failed");
  fc.assert(
    fc.property(fc.array(fact), (types) => {
      let state = IDLE;
      for (const type of types) {
        const { attempt } = state;
        const next = step(state, { type, attempt, error: crash });
        const begun = next !== state && (next.phase === "connecting" || next.phase === "idle");
        expect(next.attempt).toBe(begun ? attempt + 1 : attempt);
        state = next;
      }
    }),
  );
});
