import { IDLE, step } from "#connection/connection-state.js";
import type { ConnectionEvent, ConnectionState, ReconnectPolicy } from "#connection/connection-state.js";
import { HostError } from "@plugboard/contracts";
import type { ErrorDetails, HostErrorCode } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

const pace = { initialMs: 1000, maxMs: 30_000 };
/** The policies for a remote server and for a process. */
const remote: ReconnectPolicy = { pace };
const stdio: ReconnectPolicy = { pace, giveUp: { failures: 5, withinMs: 180_000, restartAfterMs: 60_000 } };

const server = "files";
const crash = new HostError("SERVER_CRASHED", { server, exit: "exit code 1" });
const login = new HostError("AUTH_REQUIRED", { server });
const unreachable = new HostError("SERVER_UNREACHABLE", { server, reason: "ECONNREFUSED" });
const missing = new HostError("SERVER_SPAWN_FAILED", { server, command: "x", reason: "not found" });
const noEndpoint = new HostError("UNEXPECTED_RESPONSE", { server, reason: "HTTP status 404", status: 404 });

const requestedAt = (time: number): ConnectionEvent => ({ type: "requested", time });
const requested = requestedAt(10_000);
const retried: ConnectionEvent = { type: "retried" };
const stopped: ConnectionEvent = { type: "stopped" };
const opened = (attempt: number): ConnectionEvent => ({ type: "opened", attempt });
const retryDue = (attempt: number): ConnectionEvent => ({ type: "retry_due", attempt });
const stable = (attempt: number): ConnectionEvent => ({ type: "stable", attempt });
const unused = (attempt: number): ConnectionEvent => ({ type: "unused", attempt });
const failed = (attempt: number, error: HostError = crash, time = 10_000, random = 0): ConnectionEvent => ({
  type: "failed",
  attempt,
  error,
  time,
  random,
});

const history = { attempt: 3, everOpened: true, failures: 0, failedAt: [], givenUp: false, restarts: 0 };
const before = { ...history, failures: 1, failedAt: [9000] };
const idle: ConnectionState = { ...history, phase: "idle" };
const connecting: ConnectionState = { ...history, phase: "connecting" };
const ready: ConnectionState = { ...history, phase: "ready" };
const waiting: ConnectionState = { ...before, phase: "waiting", error: crash, retryAt: 11_000 };
const broken: ConnectionState = { ...before, phase: "error", error: crash };
const givenUp: ConnectionState = { ...broken, givenUp: true, restartAt: 12_000 };
const loggedOut: ConnectionState = { ...history, phase: "auth_required", error: login };

const lost = { ...history, failures: 1, failedAt: [10_000], phase: "waiting", retryAt: 11_000 };
const again = { ...history, phase: "connecting", attempt: 4, error: crash };

describe("connection state", () => {
  describe("state transition", () => {
    it.each([
      ["idle", "requested", idle, requested, { ...connecting, attempt: 4 }],
      ["connecting", "opened", connecting, opened(3), ready],
      ["connecting", "failed", connecting, failed(3), { ...lost, error: crash }],
      ["connecting", "failed because a login is required", connecting, failed(3, login), loggedOut],
      ["ready", "lost", ready, failed(3), { ...lost, error: crash }],
      ["ready", "lost because a login is required", ready, failed(3, login), loggedOut],
      ["ready", "stable for a while", { ...ready, ...before }, stable(3), ready],
      ["ready", "not used", ready, unused(3), { ...idle, attempt: 4 }],
      ["waiting", "retry_due", waiting, retryDue(3), { ...again, ...before, attempt: 4, restarts: 1 }],
      ["idle", "retried manually", idle, retried, { ...connecting, attempt: 4 }],
      ["waiting", "retried manually", waiting, retried, again],
      ["broken", "retried manually", broken, retried, again],
      ["given up", "retried manually", givenUp, retried, again],
      [
        "given up",
        "requested a minute later",
        givenUp,
        requestedAt(12_000),
        { ...again, ...before, attempt: 4, givenUp: true },
      ],
      ["logged out", "retried manually", loggedOut, retried, { ...again, error: login }],
      ["connecting", "retried manually", { ...connecting, ...before }, retried, connecting],
      ["connecting", "stopped", connecting, stopped, { ...idle, attempt: 4 }],
      ["ready", "stopped", ready, stopped, { ...idle, attempt: 4 }],
      ["waiting", "stopped", waiting, stopped, { ...idle, attempt: 4 }],
      ["broken", "stopped", broken, stopped, { ...idle, attempt: 4 }],
      ["given up", "stopped", givenUp, stopped, { ...idle, attempt: 4 }],
      ["logged out", "stopped", loggedOut, stopped, { ...idle, attempt: 4 }],
    ] as const)('in the state "%s", the event "%s" changes the state', (_, __, state, event, next) => {
      expect(step(state, event, stdio)).toStrictEqual(next);
    });

    it.each([
      ["connecting", "requested again", connecting, requested],
      ["ready", "requested again", ready, requested],
      ["waiting", "requested", waiting, requested],
      ["broken", "requested", broken, requestedAt(1_000_000)],
      ["given up", "requested too early", givenUp, requestedAt(11_999)],
      ["logged out", "requested", loggedOut, requested],
      ["ready", "retried manually", ready, retried],
      ["ready", "opened again", ready, opened(3)],
      ["ready", "stable without a failure", ready, stable(3)],
      ["connecting", "not used", connecting, unused(3)],
      ["waiting", "not used", waiting, unused(3)],
      ["idle", "opened", idle, opened(3)],
      ["idle", "failed", idle, failed(3)],
      ["idle", "retry_due", idle, retryDue(3)],
      ["idle", "stopped", idle, stopped],
      ["waiting", "failed again", waiting, failed(3, login)],
      ["waiting", "stable for a while", waiting, stable(3)],
      ["broken", "retry_due", broken, retryDue(3)],
      ["broken", "opened", broken, opened(3)],
      ["broken", "failed again", broken, failed(3, login)],
      ["logged out", "failed again", loggedOut, failed(3)],
    ] as const)('in the state "%s", the event "%s" is ignored', (_, __, state, event) => {
      expect(step(state, event, stdio)).toBe(state);
    });
  });

  describe("error of an attempt", () => {
    const details: { readonly [C in HostErrorCode]?: ErrorDetails[C] } = {
      UNSUPPORTED_VERSION: { server, offered: [] },
      WRONG_PROTOCOL: { server, protocol: "" },
      INVALID_MESSAGE: { server, reason: "" },
      UNEXPECTED_RESPONSE: { server, reason: "" },
      MESSAGE_TOO_LARGE: { server, limitBytes: 1 },
      REQUEST_FAILED: { server, method: "initialize", code: -32000, message: "no seats left" },
      REQUEST_TIMEOUT: { server, method: "tools/list", afterMs: 1 },
      SERVER_NOT_RESPONDING: { server, afterMs: 1 },
      SERVER_OVERLOADED: { server, status: 503 },
      CONNECTION_LOST: { server, reason: "" },
      TLS_FAILED: { server, reason: "" },
      LOGIN_FAILED: { server, reason: "" },
      LOGIN_NOT_OFFERED: { server, reason: "" },
      LOGIN_UNSAFE: { server, reason: "" },
      KEYRING_UNAVAILABLE: { reason: "" },
      INTERNAL: { reason: "" },
    };

    it.each<[HostErrorCode, first: string, later: string]>([
      ["SERVER_SPAWN_FAILED", "error", "error"],
      ["UNSUPPORTED_VERSION", "error", "error"],
      ["INTERNAL", "error", "error"],
      ["UNEXPECTED_RESPONSE", "error", "waiting"],
      ["WRONG_PROTOCOL", "error", "waiting"],
      ["INVALID_MESSAGE", "error", "waiting"],
      ["MESSAGE_TOO_LARGE", "error", "waiting"],
      ["AUTH_REQUIRED", "auth_required", "auth_required"],
      ["LOGIN_FAILED", "waiting", "waiting"],
      ["LOGIN_NOT_OFFERED", "error", "error"],
      ["LOGIN_UNSAFE", "error", "error"],
      ["KEYRING_UNAVAILABLE", "auth_required", "auth_required"],
      ["SERVER_CRASHED", "waiting", "waiting"],
      ["SERVER_NOT_RESPONDING", "waiting", "waiting"],
      ["SERVER_UNREACHABLE", "waiting", "waiting"],
      ["SERVER_OVERLOADED", "waiting", "waiting"],
      ["CONNECTION_LOST", "waiting", "waiting"],
      ["TLS_FAILED", "waiting", "waiting"],
      ["REQUEST_FAILED", "waiting", "waiting"],
      ["REQUEST_TIMEOUT", "waiting", "waiting"],
    ])("%s leads to the state %s at first, and to %s if the connection was open before", (code, first, later) => {
      const known = [crash, login, unreachable, missing].find((error) => error.code === code);
      const error = known ?? new HostError(code, details[code] as never);
      for (const policy of [stdio, remote]) {
        expect(step({ ...connecting, everOpened: false }, failed(3, error), policy).phase).toBe(first);
        expect(step(connecting, failed(3, error), policy).phase).toBe(later);
      }
    });

    it("is never permanent for a connection that is open", () => {
      for (const error of [missing, noEndpoint]) {
        expect(step(ready, failed(3, error), remote)).toMatchObject({ phase: "waiting", error });
      }
    });
  });

  /** Applies the events in order, each with the current attempt number. */
  function run(
    policy: ReconnectPolicy,
    events: readonly ((attempt: number) => ConnectionEvent)[],
    from = IDLE,
  ): ConnectionState {
    return events.reduce((state, event) => step(state, event(state.attempt), policy), from);
  }

  const want = () => requested;
  const lostAt = (at: number, error: HostError = crash) =>
    [opened, (attempt: number) => failed(attempt, error, at), retryDue] as const;

  describe("process", () => {
    it("fails permanently if it opens and exits every time", () => {
      const events = [want, ...[0, 2, 4, 6, 8].flatMap((at) => lostAt(at * 1000))];
      expect(run(stdio, events)).toMatchObject({ phase: "error", error: { code: "SERVER_CRASHED" }, restarts: 4 });
      expect(run(stdio, events.slice(0, -3))).toMatchObject({ phase: "connecting", restarts: 4 });
    });

    it("fails permanently if it never opens", () => {
      const dies = (at: number) => [(attempt: number) => failed(attempt, crash, at), retryDue];
      const events = [want, ...[0, 2, 4, 6, 8].flatMap((at) => dies(at * 1000))];
      expect(run(stdio, events)).toMatchObject({ phase: "error", failures: 5 });
    });

    const servedUntil = (at: number) => [
      opened,
      (attempt: number): ConnectionEvent => ({ ...failed(attempt, crash, at), served: true }) as ConnectionEvent,
      retryDue,
    ];

    it(
      "is restarted forever, after the shortest pause, if it answers a call before each crash",
      { meta: { covers: ["F56"] } },
      () => {
        const events = [want, ...Array.from({ length: 20 }, (_, n) => servedUntil(n * 20_000)).flat()];
        expect(run(stdio, events)).toMatchObject({ phase: "connecting", restarts: 20 });
        expect(run(stdio, events.slice(0, -1))).toMatchObject({ phase: "waiting", retryAt: 19 * 20_000 + 1000 });
      },
    );

    it("gets its full number of attempts again after it has answered a call", { meta: { covers: ["F56"] } }, () => {
      const crashes = [0, 2, 4, 6].flatMap((at) => lostAt(at * 1000));
      const events = [want, ...crashes, ...servedUntil(8000), ...crashes];
      expect(run(stdio, events)).toMatchObject({ phase: "connecting", restarts: 9 });
    });

    it(
      "that was given up is started once for a request that comes a minute or more after its last crash",
      { meta: { covers: ["F56"] } },
      () => {
        const first = run(stdio, [want, ...[0, 2, 4, 6, 8].flatMap((at) => lostAt(at * 1000))]);
        expect(first).toMatchObject({ phase: "error", restartAt: 68_000 });
        const second = run(stdio, [() => requestedAt(68_000), ...lostAt(69_000)], first);
        expect(second).toMatchObject({ phase: "error", restartAt: 129_000, error: { details: { failures: 6 } } });
        // This is also true if the earlier crashes are too old to count.
        const third = run(stdio, [() => requestedAt(900_000), ...lostAt(901_000)], second);
        expect(third).toMatchObject({ phase: "error", restartAt: 961_000, failedAt: [901_000] });
      },
    );

    it(
      "that was given up gets its full number of attempts again when it has answered a call",
      { meta: { covers: ["F56"] } },
      () => {
        const gone = run(stdio, [want, ...[0, 2, 4, 6, 8].flatMap((at) => lostAt(at * 1000))]);
        const events = [() => requestedAt(68_000), ...servedUntil(70_000), ...lostAt(72_000)];
        expect(run(stdio, events, gone)).toMatchObject({ phase: "connecting", failures: 2, givenUp: false });
      },
    );

    it("does not fail permanently if its crashes are far enough apart", () => {
      const events = [want, ...[0, 46, 92, 138, 184, 230, 276].flatMap((at) => lostAt(at * 1000))];
      expect(run(stdio, events)).toMatchObject({ phase: "connecting", restarts: 7 });
    });

    it("resets its failures when it is stable, not when it opens", () => {
      const twice = run(stdio, [want, ...lostAt(1000), ...lostAt(2000), opened]);
      expect(twice).toMatchObject({ phase: "ready", failures: 2 });
      expect(run(stdio, [stable], twice)).toMatchObject({ phase: "ready", failures: 0, failedAt: [] });
    });

    it("gets its full number of attempts again after a manual retry", () => {
      const events = [want, ...[0, 2, 4, 6, 8].flatMap((at) => lostAt(at * 1000))];
      const tried = run(stdio, [() => retried, ...lostAt(9000), ...lostAt(10_000)], run(stdio, events));
      expect(tried).toMatchObject({ phase: "connecting", failures: 2 });
    });
  });

  describe("connection that leads back to this host", { meta: { covers: ["A20"] } }, () => {
    it("is not retried if the server is this host", () => {
      const error = new HostError("SERVER_IS_SELF", { server });
      for (const state of [connecting, ready]) {
        expect(step(state, failed(3, error), remote)).toEqual({ ...history, phase: "error", error });
      }
    });

    it("is retried forever, with about the maximum pause, if another server is in between", () => {
      const error = new HostError("SERVER_IS_SELF", { server, indirect: true });
      let state: ConnectionState = connecting;
      for (let at = 10_000; at < 1_000_000; at += 15_000) {
        state = step(state, failed(state.attempt, error, at, 1), stdio);
        expect(state).toMatchObject({ phase: "waiting", error, retryAt: at + 15_000 });
        state = step(state, retryDue(state.attempt), stdio);
      }
    });
  });

  describe("remote server", () => {
    it("is retried forever, with the maximum pause", { meta: { covers: ["R3.50"] } }, () => {
      const events = [want, ...Array.from({ length: 200 }, (_, n) => lostAt(n, unreachable)).flat()];
      const state = run(remote, events.slice(0, -1));
      expect(state).toMatchObject({ phase: "waiting", failures: 200, retryAt: 199 + 30_000 });
      // The list of failures does not grow.
      expect(state.failedAt).toEqual([]);
    });

    it.each([
      [1, 0, 1000],
      [2, 0, 2000],
      [3, 0, 4000],
      [5, 0, 16_000],
      [6, 0, 30_000],
      [1, 1, 500],
      [9, 1, 15_000],
    ])("after failure %i, with the random value %d, is retried after %i ms", (failures, random, pauseMs) => {
      const state = step({ ...connecting, failures: failures - 1 }, failed(3, unreachable, 50, random), remote);
      expect(state).toMatchObject({ phase: "waiting", retryAt: 50 + pauseMs });
    });

    it.each([
      [undefined, 1000],
      [-5, 1000],
      [100, 1000],
      [7000, 7000],
      [86_400_000, 30_000],
    ])("is retried after its Retry-After of %s ms, within limits", (retryAfterMs, pauseMs) => {
      const busy = new HostError("SERVER_OVERLOADED", { server, status: 503, ...(retryAfterMs && { retryAfterMs }) });
      expect(step(connecting, failed(3, busy, 0), remote)).toMatchObject({ retryAt: pauseMs });
    });
  });

  const anyState = fc.constantFrom(connecting, ready, idle, waiting, broken, givenUp, loggedOut);
  const anyPolicy = fc.constantFrom(stdio, remote);

  it("ignores events of any other attempt", () => {
    const otherAttempt = fc.integer({ min: 0, max: 9 }).filter((attempt) => attempt !== 3);
    const news = fc.constantFrom<((attempt: number) => ConnectionEvent)[]>(
      opened,
      failed,
      retryDue,
      stable,
      unused,
      (attempt) => failed(attempt, login),
    );
    fc.assert(
      fc.property(anyState, otherAttempt, news, anyPolicy, (state, attempt, make, policy) => {
        expect(step(state, make(attempt), policy)).toBe(state);
      }),
    );
  });

  const anyEvent = fc.oneof(
    fc
      .constantFrom("requested", "stopped", "opened", "retry_due", "stable", "unused", "retried")
      .map((type) => (attempt: number): ConnectionEvent => ({ type, attempt, time: 100_000 })),
    fc
      .tuple(
        fc.constantFrom<HostError[]>(crash, login, unreachable, missing, noEndpoint),
        fc.nat(1000),
        fc.double({ min: 0, max: 1, noNaN: true }),
      )
      .map(
        ([error, at, random]) =>
          (attempt: number) =>
            failed(attempt, error, at, random),
      ),
  );

  it("never uses an attempt number twice", () => {
    fc.assert(
      fc.property(fc.array(anyEvent), anyPolicy, (events, policy) => {
        let state = IDLE;
        for (const event of events) {
          const { attempt } = state;
          const next = step(state, event(attempt), policy);
          const begun = next.phase !== state.phase && (next.phase === "connecting" || next.phase === "idle");
          expect(next.attempt).toBe(begun ? attempt + 1 : attempt);
          state = next;
        }
      }),
    );
  });

  it("can connect again from every state that is not connected", () => {
    fc.assert(
      fc.property(fc.array(anyEvent), anyPolicy, (events, policy) => {
        const state = run(policy, events);
        if (state.phase === "waiting") expect(state.retryAt).toBeGreaterThan(0);
        if (state.phase === "error" || state.phase === "auth_required") expect(state.error).toBeInstanceOf(HostError);
        const back = { idle: requested, waiting: retryDue(state.attempt), error: retried, auth_required: retried };
        if (state.phase in back) {
          const event = back[state.phase as keyof typeof back];
          expect(step(state, event, policy).phase).toBe("connecting");
        }
      }),
    );
  });
});
