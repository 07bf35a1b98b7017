import { getEventListeners } from "node:events";
import { Deadlines } from "#wire/deadlines.js";
import { OutgoingRequest } from "#wire/outgoing-request.js";
import type { OutgoingRequestOptions, RpcResponse } from "#wire/outgoing-request.js";
import { HostError } from "@plugboard/contracts";
import type { Progress } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../helpers/manual-clock.ts";

const answer: RpcResponse = { ok: true, result: { tools: [] } };
const lost = new HostError("CONNECTION_LOST", { server: "files", reason: "the wire was cut" });

describe("OutgoingRequest", () => {
  describe("timeout", () => {
    it("fails the request after timeoutMs without progress", { meta: { covers: ["R0.66", "R2.19"] } }, async () => {
      const { exchange, clock, ended } = started({ timeoutMs: 100 });
      clock.advance(99);
      expect(exchange.settled).toBe(false);
      clock.advance(1);
      await expect(exchange.response).rejects.toMatchObject({
        code: "REQUEST_TIMEOUT",
        details: { server: "files", method: "tools/call", afterMs: 100 },
      });
      expect(ended).toEqual([{ givenUp: true, reason: "no answer in 100 ms" }]);
    });

    it("restarts with each progress notification", async () => {
      const { exchange, clock } = started({ timeoutMs: 100 });
      for (let report = 1; report <= 5; report++) {
        clock.advance(99);
        exchange.progress({ progress: report });
      }
      clock.advance(99);
      expect(exchange.settled).toBe(false);
      clock.advance(1);
      await expect(exchange.response).rejects.toMatchObject({ details: { afterMs: 100 } });
    });

    it("fails the request after maxMs in spite of progress", async () => {
      const { exchange, clock } = started({ timeoutMs: 100, maxMs: 250 });
      for (const at of [90, 180, 249]) {
        clock.advance(at - clock.now());
        exchange.progress({ progress: at });
      }
      expect(exchange.settled).toBe(false);
      clock.advance(1);
      await expect(exchange.response).rejects.toMatchObject({ code: "REQUEST_TIMEOUT", details: { afterMs: 250 } });
    });

    it("pauses while the server waits for us, but maxMs goes on", async () => {
      const { exchange, clock } = started({ timeoutMs: 100, maxMs: 1000 });
      clock.advance(50);
      exchange.pauseTimeout();
      exchange.progress({ progress: 1 });
      clock.advance(900);
      expect(exchange.settled).toBe(false);
      clock.advance(50);
      await expect(exchange.response).rejects.toMatchObject({ details: { afterMs: 1000 } });
    });

    it("restarts when the server no longer waits", async () => {
      const { exchange, clock } = started({ timeoutMs: 100 });
      exchange.pauseTimeout();
      clock.advance(500);
      exchange.resumeTimeout();
      clock.advance(99);
      expect(exchange.settled).toBe(false);
      clock.advance(1);
      await expect(exchange.response).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
    });

    it("does not exist if none is given", () => {
      const { exchange, clock } = started({ signal: undefined });
      exchange.progress({ progress: 1 });
      clock.advance(1e9);
      expect(exchange.settled).toBe(false);
      expect(exchange.dueAt).toBe(Infinity);
    });
  });

  describe("abort signal", { meta: { covers: ["R1.43"] } }, () => {
    it.each([
      ["a string", "interrupted", "interrupted"],
      ["an error", new Error("out of budget"), "out of budget"],
      ["nothing", undefined, "the caller cancelled the request"],
      ["an object", { why: 1 }, "the caller cancelled the request"],
    ])("cancels the request if it aborts with %s as the reason", async (_, reason: unknown, words) => {
      const abort = new AbortController();
      const { exchange, ended } = started({ signal: abort.signal });
      abort.abort(reason);
      await expect(exchange.response).rejects.toMatchObject({ code: "CANCELLED", details: { reason: words } });
      expect(ended).toEqual([{ givenUp: true, reason: words }]);
    });

    it("fails the request before it is sent if it is already aborted", async () => {
      const { exchange, ended } = started({ signal: AbortSignal.abort("too late"), timeoutMs: 10, maxMs: 10 });
      await expect(exchange.response).rejects.toMatchObject({ code: "CANCELLED", details: { reason: "too late" } });
      expect(ended).toEqual([{ givenUp: false, reason: "" }]);
      expect(exchange.dueAt).toBe(Infinity);
    });
  });

  it("passes progress to its handler", () => {
    const heard: Progress[] = [];
    const { exchange } = started({ onProgress: (progress) => heard.push(progress) });
    exchange.progress({ progress: 1, total: 2, message: "half" });
    expect(heard).toEqual([{ progress: 1, total: 2, message: "half" }]);
  });

  it("is cancelled if its progress handler throws", async () => {
    const defect = new Error("undefined is not a function");
    const { exchange, ended } = started({
      timeoutMs: 100,
      onProgress: () => {
        throw defect;
      },
    });
    exchange.progress({ progress: 1 });
    await expect(exchange.response).rejects.toMatchObject({ code: "INTERNAL", cause: defect });
    expect(ended).toEqual([{ givenUp: true, reason: "the progress handler failed" }]);
    expect(exchange.dueAt).toBe(Infinity);
  });

  it("calls its handler synchronously and once, also if the handler is set later", () => {
    const told: unknown[] = [];
    const ending = {
      onResponse: (reply: RpcResponse) => told.push(reply),
      onError: ({ code }: HostError) => told.push(code),
    };
    const { exchange } = started({});
    exchange.setHandler(ending);
    exchange.receive(answer);
    exchange.fail(lost);
    expect(told).toEqual([answer]);
    const cut = started({});
    cut.exchange.setHandler(ending);
    cut.exchange.fail(lost);
    expect(told).toEqual([answer, "CONNECTION_LOST"]);
    const late = started({});
    late.exchange.cancel("enough");
    late.exchange.setHandler(ending);
    expect(told).toEqual([answer, "CONNECTION_LOST", "CANCELLED"]);
  });

  it("causes no unhandled rejection if its response is not awaited", async () => {
    started({}).exchange.fail(lost);
    // An unhandled rejection would fail the run.
    await new Promise((resolve) => setImmediate(resolve));
  });

  describe("any order of events", () => {
    const happenings = {
      answer: ({ exchange }: Started) => exchange.receive(answer),
      refuse: ({ exchange }: Started) => exchange.receive({ ok: false, error: { code: -1, message: "no" } }),
      fail: ({ exchange }: Started) => exchange.fail(lost),
      cancel: ({ exchange }: Started) => exchange.cancel("enough"),
      abort: ({ abort }: Started) => abort.abort("stop"),
      progress: ({ exchange }: Started) => exchange.progress({ progress: 1 }),
      hold: ({ exchange }: Started) => exchange.pauseTimeout(),
      unhold: ({ exchange }: Started) => exchange.resumeTimeout(),
      time: ({ clock }: Started) => clock.advance(60),
    };
    const ends = ["answer", "refuse", "fail", "cancel", "abort"];
    const names = Object.keys(happenings) as (keyof typeof happenings)[];

    it("settles once by the first event and releases its timer and its signal", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.constantFrom(...names)), fc.constantFrom(...ends), async (before, end) => {
          const all = started({ timeoutMs: 100, maxMs: 400 });
          const sequence = [...before, end as keyof typeof happenings];
          let by: string | undefined;
          for (const name of sequence) {
            happenings[name](all);
            if (all.exchange.settled) by ??= name;
          }
          expect(all.ended).toHaveLength(1);
          expect(all.exchange.dueAt).toBe(Infinity);
          expect(getEventListeners(all.abort.signal, "abort")).toEqual([]);
          const outcome = await all.exchange.response.then(
            (reply) => (reply.ok ? "answer" : "refuse"),
            (error: HostError) => error.code,
          );
          expect(outcome).toBe(OUTCOMES[by!]);
          expect(all.ended[0]!.givenUp).toBe(["cancel", "abort", "time"].includes(by!));
        }),
      );
    });

    const OUTCOMES: { readonly [happening: string]: string } = {
      answer: "answer",
      refuse: "refuse",
      fail: "CONNECTION_LOST",
      cancel: "CANCELLED",
      abort: "CANCELLED",
      time: "REQUEST_TIMEOUT",
    };
  });

  type Started = ReturnType<typeof started>;

  function started(options: OutgoingRequestOptions) {
    const clock = new ManualClock();
    const abort = new AbortController();
    const ended: { givenUp: boolean; reason: string }[] = [];
    const deadlines = new Deadlines(clock);
    const exchange = new OutgoingRequest(
      1,
      "tools/call",
      "files",
      deadlines,
      { signal: abort.signal, ...options },
      (one, givenUp) => ended.push({ givenUp, reason: one.cancelReason }),
    );
    exchange.start();
    return { exchange, clock, abort, ended };
  }
});
