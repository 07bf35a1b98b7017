import { getEventListeners } from "node:events";
import { Deadlines } from "#wire/deadlines.js";
import { OutgoingRequest } from "#wire/outgoing-request.js";
import type { OutgoingRequestOptions, RpcResponse } from "#wire/outgoing-request.js";
import { HostError } from "@plugboard/contracts";
import type { Progress } from "@plugboard/contracts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const answer: RpcResponse = { ok: true, result: { tools: [] } };
const lost = new HostError("CONNECTION_LOST", { server: "files", reason: "the wire was cut" });

describe("OutgoingRequest", () => {
  describe("timeout", () => {
    it("fails the request after timeoutMs without progress", { meta: { covers: ["R0.66", "R2.19"] } }, async () => {
      const { request, clock, ended } = startRequest({ timeoutMs: 100 });
      clock.advance(99);
      expect(request.settled).toBe(false);
      clock.advance(1);
      await expect(request.response).rejects.toMatchObject({
        code: "REQUEST_TIMEOUT",
        details: { server: "files", method: "tools/call", afterMs: 100 },
      });
      expect(ended).toEqual([{ cancelled: true, reason: "no answer in 100 ms" }]);
    });

    it("restarts with each progress notification", async () => {
      const { request, clock } = startRequest({ timeoutMs: 100 });
      for (let report = 1; report <= 5; report++) {
        clock.advance(99);
        request.progress({ progress: report });
      }
      clock.advance(99);
      expect(request.settled).toBe(false);
      clock.advance(1);
      await expect(request.response).rejects.toMatchObject({ details: { afterMs: 100 } });
    });

    it("fails the request after maxMs in spite of progress", async () => {
      const { request, clock } = startRequest({ timeoutMs: 100, maxMs: 250 });
      for (const at of [90, 180, 249]) {
        clock.advance(at - clock.now());
        request.progress({ progress: at });
      }
      expect(request.settled).toBe(false);
      clock.advance(1);
      await expect(request.response).rejects.toMatchObject({ code: "REQUEST_TIMEOUT", details: { afterMs: 250 } });
    });

    it("pauses while the server waits for an answer of ours, but maxMs goes on", async () => {
      const { request, clock } = startRequest({ timeoutMs: 100, maxMs: 1000 });
      clock.advance(50);
      request.pauseTimeout();
      request.progress({ progress: 1 });
      clock.advance(900);
      expect(request.settled).toBe(false);
      clock.advance(50);
      await expect(request.response).rejects.toMatchObject({ details: { afterMs: 1000 } });
    });

    it("starts again when the server no longer waits", async () => {
      const { request, clock } = startRequest({ timeoutMs: 100 });
      request.pauseTimeout();
      clock.advance(500);
      request.resumeTimeout();
      clock.advance(99);
      expect(request.settled).toBe(false);
      clock.advance(1);
      await expect(request.response).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
    });

    it("is not set if the options contain none", () => {
      const { request, clock } = startRequest({ signal: undefined });
      request.progress({ progress: 1 });
      clock.advance(1e9);
      expect(request.settled).toBe(false);
      expect(request.dueAt).toBe(Infinity);
    });
  });

  describe("abort signal", { meta: { covers: ["R1.43"] } }, () => {
    it.each([
      ["a string", "interrupted", "interrupted"],
      ["an error", new Error("out of budget"), "out of budget"],
      ["nothing", undefined, "the caller cancelled the request"],
      ["an object", { why: 1 }, "the caller cancelled the request"],
    ])("cancels the request if it aborts with %s as the reason", async (_, reason: unknown, message) => {
      const abort = new AbortController();
      const { request, ended } = startRequest({ signal: abort.signal });
      abort.abort(reason);
      await expect(request.response).rejects.toMatchObject({ code: "CANCELLED", details: { reason: message } });
      expect(ended).toEqual([{ cancelled: true, reason: message }]);
    });

    it("fails the request before it is sent if it is already aborted", async () => {
      const { request, ended } = startRequest({ signal: AbortSignal.abort("too late"), timeoutMs: 10, maxMs: 10 });
      await expect(request.response).rejects.toMatchObject({ code: "CANCELLED", details: { reason: "too late" } });
      expect(ended).toEqual([{ cancelled: false, reason: "" }]);
      expect(request.dueAt).toBe(Infinity);
    });
  });

  it("passes progress to its progress handler", () => {
    const received: Progress[] = [];
    const { request } = startRequest({ onProgress: (progress) => received.push(progress) });
    request.progress({ progress: 1, total: 2, message: "half" });
    expect(received).toEqual([{ progress: 1, total: 2, message: "half" }]);
  });

  it("is cancelled if its progress handler throws", async () => {
    const defect = new Error("undefined is not a function");
    const { request, ended } = startRequest({
      timeoutMs: 100,
      onProgress: () => {
        throw defect;
      },
    });
    request.progress({ progress: 1 });
    await expect(request.response).rejects.toMatchObject({ code: "INTERNAL", cause: defect });
    expect(ended).toEqual([{ cancelled: true, reason: "the progress handler failed" }]);
    expect(request.dueAt).toBe(Infinity);
  });

  it("calls its handler once and synchronously, even if the handler is set after the end", () => {
    const results: unknown[] = [];
    const ending = {
      onResponse: (reply: RpcResponse) => results.push(reply),
      onError: ({ code }: HostError) => results.push(code),
    };
    const { request } = startRequest({});
    request.setHandler(ending);
    request.receive(answer);
    request.fail(lost);
    expect(results).toEqual([answer]);
    const cut = startRequest({});
    cut.request.setHandler(ending);
    cut.request.fail(lost);
    expect(results).toEqual([answer, "CONNECTION_LOST"]);
    const late = startRequest({});
    late.request.cancel("enough");
    late.request.setHandler(ending);
    expect(results).toEqual([answer, "CONNECTION_LOST", "CANCELLED"]);
  });

  it("causes no unhandled rejection if its response is not awaited", async () => {
    startRequest({}).request.fail(lost);
    // An unhandled rejection would fail the test run.
    await new Promise((resolve) => setImmediate(resolve));
  });

  describe("any order of events", () => {
    const events = {
      answer: ({ request }: StartedRequest) => request.receive(answer),
      refuse: ({ request }: StartedRequest) => request.receive({ ok: false, error: { code: -1, message: "no" } }),
      fail: ({ request }: StartedRequest) => request.fail(lost),
      cancel: ({ request }: StartedRequest) => request.cancel("enough"),
      abort: ({ abort }: StartedRequest) => abort.abort("stop"),
      progress: ({ request }: StartedRequest) => request.progress({ progress: 1 }),
      pause: ({ request }: StartedRequest) => request.pauseTimeout(),
      resume: ({ request }: StartedRequest) => request.resumeTimeout(),
      time: ({ clock }: StartedRequest) => clock.advance(60),
    };
    const ends = ["answer", "refuse", "fail", "cancel", "abort"];
    const names = Object.keys(events) as (keyof typeof events)[];

    it("settles the request once, by the first event, and releases its timer and its signal", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.constantFrom(...names)), fc.constantFrom(...ends), async (before, end) => {
          const fixture = startRequest({ timeoutMs: 100, maxMs: 400 });
          const sequence = [...before, end as keyof typeof events];
          let settledBy: string | undefined;
          for (const name of sequence) {
            events[name](fixture);
            if (fixture.request.settled) settledBy ??= name;
          }
          expect(fixture.ended).toHaveLength(1);
          expect(fixture.request.dueAt).toBe(Infinity);
          expect(getEventListeners(fixture.abort.signal, "abort")).toEqual([]);
          const outcome = await fixture.request.response.then(
            (reply) => (reply.ok ? "answer" : "refuse"),
            (error: HostError) => error.code,
          );
          expect(outcome).toBe(OUTCOMES[settledBy!]);
          expect(fixture.ended[0]!.cancelled).toBe(["cancel", "abort", "time"].includes(settledBy!));
        }),
      );
    });

    const OUTCOMES: { readonly [event: string]: string } = {
      answer: "answer",
      refuse: "refuse",
      fail: "CONNECTION_LOST",
      cancel: "CANCELLED",
      abort: "CANCELLED",
      time: "REQUEST_TIMEOUT",
    };
  });

  type StartedRequest = ReturnType<typeof startRequest>;

  function startRequest(options: OutgoingRequestOptions) {
    const clock = new ManualClock();
    const abort = new AbortController();
    const ended: { cancelled: boolean; reason: string }[] = [];
    const deadlines = new Deadlines(clock);
    const request = new OutgoingRequest(
      1,
      "tools/call",
      "files",
      deadlines,
      { signal: abort.signal, ...options },
      (settled, cancelled) => ended.push({ cancelled, reason: settled.cancelReason }),
    );
    request.start();
    return { request, clock, abort, ended };
  }
});
