import { classify } from "#wire/message.js";
import type { Message, NotificationMessage, RequestId, RequestMessage } from "#wire/message.js";
import { Peer } from "#wire/peer.js";
import type { PeerOptions } from "#wire/peer.js";
import type { Transport, TransportEvents, WireHeaders } from "#wire/transport.js";
import { HostError } from "@plugboard/contracts";
import type { Progress } from "@plugboard/contracts";
import * as fc from "fast-check";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, it, onTestFinished } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const rpc = { jsonrpc: "2.0" } as const;
const crash = new HostError("SERVER_CRASHED", { server: "files", exit: "exit code 1" });

describe("Peer", () => {
  describe("responses", () => {
    it("settle their requests in any order", { meta: { covers: ["R0.18", "R1.59"] } }, async () => {
      await fc.assert(
        fc.asyncProperty(fc.shuffledSubarray([1, 2, 3, 4, 5, 6], { minLength: 6 }), async (order) => {
          const { wire, peer } = open();
          const requests = order.map(() => peer.request("tools/call", noParams));
          for (const id of order) wire.receive({ ...rpc, id, result: { answers: id } });
          const replies = await Promise.all(requests.map((request) => request.response));
          expect(replies).toEqual(requests.map(({ id }) => ({ ok: true, result: { answers: id } })));
        }),
      );
    });

    it(
      "settle a request with the unchanged error if they are errors",
      { meta: { covers: ["R0.27", "R1.51"] } },
      async () => {
        const { wire, peer } = open();
        const { id, response } = peer.request("tools/call", noParams);
        const error = { code: -32042, message: "log in first", data: { urls: ["https://x"] } };
        wire.receive({ ...rpc, id, error });
        expect(await response).toEqual({ ok: false, error });
      },
    );

    it("do not settle a request with a numeric id if their id is the same number as a string", () => {
      const { wire, peer, received } = open();
      const request = peer.request("tools/call", noParams);
      wire.receive({ ...rpc, id: String(request.id), result: {} });
      expect(request.settled).toBe(false);
      expect(received.late).toEqual(["1"]);
      expect(peer.counters.late).toBe(1);
    });

    it("are dropped and counted if no request is pending", { meta: { covers: ["R2.136"] } }, async () => {
      const { wire, peer, received } = open();
      const request = peer.request("tools/call", noParams);
      request.cancel("enough");
      wire.receive({ ...rpc, id: 1, result: {} });
      wire.receive({ ...rpc, id: 99, error: { code: 1, message: "what?" } });
      expect(peer.counters).toEqual({ late: 2, malformed: 0, noise: 0, undelivered: 0 });
      expect(received.late).toEqual([1, 99]);
      await expect(request.response).rejects.toMatchObject({ code: "CANCELLED" });
    });

    it("settle their request with the first of two responses", async () => {
      const { wire, peer } = open();
      const { response } = peer.request("tools/call", noParams);
      wire.receive({ ...rpc, id: 1, result: { first: true } });
      wire.receive({ ...rpc, id: 1, result: { first: false } });
      expect(await response).toEqual({ ok: true, result: { first: true } });
      expect(peer.counters.late).toBe(1);
    });

    it("settle the request of their stream if they have no id", async () => {
      const { wire, peer } = open();
      const [first, second] = [peer.request("tools/list", noParams), peer.request("tools/call", noParams)];
      wire.receive({ ...rpc, id: null, error: { code: -32700, message: "parse error" } }, second.id);
      expect(await second.response).toMatchObject({ ok: false, error: { code: -32700 } });
      expect(first.settled).toBe(false);
    });

    it("settle no request if they have no id and come on a shared stream", () => {
      const { wire, peer, received } = open();
      const request = peer.request("tools/list", noParams);
      wire.receive({ ...rpc, error: { code: -32700, message: "parse error" } });
      expect(request.settled).toBe(false);
      expect(peer.counters.late).toBe(1);
      expect(received.late).toEqual([]);
    });
  });

  describe("malformed message", () => {
    it("fails only the request with its id", async () => {
      const { wire, peer } = open();
      const [first, second] = [peer.request("tools/list", noParams), peer.request("tools/call", noParams)];
      wire.receive({ ...rpc, id: second.id, result: "done" });
      await expect(second.response).rejects.toMatchObject({
        code: "INVALID_MESSAGE",
        details: { server: "files", reason: '"result" is not an object' },
      });
      expect(first.settled).toBe(false);
      expect(peer.counters.malformed).toBe(1);
    });

    it("fails only the request on whose stream it came", async () => {
      const { wire, peer } = open();
      const [first, second] = [peer.request("tools/list", noParams), peer.request("tools/call", noParams)];
      wire.receive("garbage", second.id);
      await expect(second.response).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
      expect(first.settled).toBe(false);
    });

    it("fails all pending requests if it has no id", async () => {
      const { wire, peer } = open();
      const requests = [peer.request("tools/list", noParams), peer.request("tools/call", noParams)];
      wire.receive([{ ...rpc, id: 1, result: {} }]);
      for (const { response } of requests) await expect(response).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
      expect(peer.counters.malformed).toBe(1);
      const next = peer.request("tools/list", noParams);
      wire.receive({ ...rpc, id: next.id, result: {} });
      expect(await next.response).toEqual({ ok: true, result: {} });
    });

    it("fails no request of ours if it looks like a request of the other side with the same id", () => {
      const { wire, peer } = open();
      const request = peer.request("tools/call", noParams);
      wire.receive({ ...rpc, id: request.id, method: "elicitation/create", params: ["Name?"] });
      expect(request.settled).toBe(false);
      expect(peer.counters.malformed).toBe(1);
    });

    it("is answered with an error if it looks like a request", () => {
      const { wire } = open();
      wire.receive({ ...rpc, id: "q", method: "elicitation/create", params: ["Name?"] });
      wire.receive({ ...rpc, method: "notifications/x", params: [] });
      expect(wire.sent).toMatchObject([{ message: { id: "q", error: { code: -32600 } } }]);
    });
  });

  describe("a message that is not JSON-RPC (noise)", () => {
    it.each([
      ["a log entry", { level: "error", error: "disk full" }],
      ["a log entry that mentions our id", { level: "error", id: 1, error: "disk full" }],
      ["a string", "starting"],
      ["an array", [1, 2]],
    ])("fails no request and is counted separately: %s", (_, value) => {
      const { wire, peer } = open();
      const request = peer.request("tools/call", noParams);
      wire.receive(value);
      expect(request.settled).toBe(false);
      expect(peer.counters).toMatchObject({ noise: 1, malformed: 0 });
    });

    it("creates no error object, which would be slow", { meta: { covers: ["A17", "F5"] } }, () => {
      const wire = new MemoryTransport();
      let serverReads = 0;
      const options: PeerOptions = {
        // Counts the reads of the server's name, because each new error reads it.
        get server() {
          serverReads += 1;
          return "files";
        },
        transport: wire,
        clock: new ManualClock(),
      };
      const peer = new Peer(options);
      const readsBefore = serverReads;
      for (let line = 0; line < 100; line++) wire.receive("starting");
      expect(peer.counters.noise).toBe(100);
      expect(serverReads).toBe(readsBefore);
    });
  });

  describe("message whose handler throws", () => {
    const broken = () => {
      throw new RangeError("Maximum call stack size exceeded");
    };

    it("is answered with an error if it is a request, and affects no other message", () => {
      const { wire, peer } = open();
      peer.setEventHandlers({ request: broken, notification: broken, lateResponse: broken, closed: () => {} });
      const request = peer.request("tools/call", noParams);
      wire.receive({ ...rpc, id: "q", method: "elicitation/create" });
      wire.receive({ ...rpc, method: "notifications/tools/list_changed" });
      wire.receive({ ...rpc, id: 99, result: {} });
      expect(wire.sent.slice(1)).toMatchObject([{ message: { id: "q", error: { code: -32600 } } }]);
      expect(request.settled).toBe(false);
      expect(peer.counters.malformed).toBe(3);
    });
  });

  describe("request that cannot be sent", () => {
    it("fails with the error of the transport", async () => {
      const { wire, peer } = open();
      wire.broken = new HostError("INVALID_ARGUMENTS", { reason: "they refer to themselves" });
      await expect(peer.request("tools/call", noParams).response).rejects.toBe(wire.broken);
    });

    it("fails if its params cannot be created", async () => {
      const { peer } = open();
      const params = () => {
        throw new Error("no params today");
      };
      await expect(peer.request("tools/call", params).response).rejects.toMatchObject({ code: "INTERNAL" });
    });
  });

  it("publishes sent and received messages on the diagnostics channel", () => {
    const { wire, peer } = open();
    const frames: unknown[] = [];
    const keep = (frame: unknown) => void frames.push(frame);
    subscribe("plugboard.wire", keep);
    onTestFinished(() => void unsubscribe("plugboard.wire", keep));
    peer.revision = "2025-06-18";
    peer.request("tools/list", noParams);
    const result = { ...rpc, id: 1, result: {} };
    const notification = { ...rpc, method: "notifications/x" };
    wire.receive(result);
    wire.receive(notification);
    const client = { role: "client", revision: "2025-06-18" };
    expect(frames).toEqual([
      { ...client, direction: "sent", message: { ...rpc, id: 1, method: "tools/list", params: {} } },
      { ...client, direction: "received", answers: "tools/list", message: result },
      { ...client, direction: "received", message: notification },
    ]);
  });

  describe("progress", () => {
    it("reaches the request with its token, without fields of the wrong type", () => {
      const { wire, peer } = open();
      const received: Progress[][] = [[], []];
      const [first, second] = received.map((list) =>
        peer.request("tools/call", noParams, { onProgress: (progress) => list.push(progress) }),
      );
      wire.progress({ progressToken: second!.id, progress: 1, total: 4, message: "a quarter", extra: true });
      wire.progress({ progressToken: second!.id, progress: 2, total: "four", message: 7 });
      wire.progress({ progressToken: first!.id, progress: 0.5 });
      expect(received).toEqual([
        [{ progress: 0.5 }],
        [{ progress: 1, total: 4, message: "a quarter" }, { progress: 2 }],
      ]);
    });

    it.each([
      ["a string as token", { progressToken: "1", progress: 1 }],
      ["no token", { progress: 1 }],
      ["the token of another request", { progressToken: 2, progress: 1 }],
      ["a progress that is no number", { progressToken: 1, progress: "half" }],
      ["no params", undefined],
    ])("does not restart the timeout if it has %s", async (_, params) => {
      const { wire, peer, clock } = open();
      const { response } = peer.request("tools/call", noParams, { timeoutMs: 100 });
      clock.advance(60);
      wire.progress(params);
      clock.advance(40);
      await expect(response).rejects.toMatchObject({ code: "REQUEST_TIMEOUT" });
    });

    it("restarts timeoutMs but not maxMs", async () => {
      const { wire, peer, clock } = open();
      const { response } = peer.request("tools/call", noParams, { timeoutMs: 100, maxMs: 150 });
      clock.advance(60);
      wire.progress({ progressToken: 1, progress: 1 });
      clock.advance(89);
      expect(wire.dropped).toEqual([]);
      clock.advance(1);
      await expect(response).rejects.toMatchObject({ code: "REQUEST_TIMEOUT", details: { afterMs: 150 } });
    });

    it("is not passed to the notification handler", () => {
      const { wire, received } = open();
      wire.progress({ progressToken: 1, progress: 1 });
      expect(received.notifications).toEqual([]);
    });
  });

  describe("cancellation", { meta: { covers: ["R1.43", "R2.18"] } }, () => {
    const ways = {
      "by the signal": { reason: "stop", how: ({ abort }: Opened) => abort.abort("stop") },
      "by the timeout": { reason: "no answer in 100 ms", how: ({ clock }: Opened) => clock.advance(100) },
    };

    describe.each(Object.entries(ways))("%s", (_, { how, reason }) => {
      it("notifies the other side if requested, and closes the stream of the request", async () => {
        const all = open();
        const headers = { "mcp-protocol-version": "2025-06-18" };
        const options = { signal: all.abort.signal, timeoutMs: 100, sendCancelled: true, headers };
        const { response } = all.peer.request("tools/call", noParams, options);
        how(all);
        await expect(response).rejects.toBeInstanceOf(HostError);
        const notice = { ...rpc, method: "notifications/cancelled", params: { requestId: 1, reason } };
        expect(all.wire.sent.slice(1)).toEqual([{ message: notice, headers }]);
        expect(all.wire.dropped).toEqual([1]);
      });

      it("only closes the stream of the request by default", async () => {
        const all = open();
        const { response } = all.peer.request("tools/call", noParams, { signal: all.abort.signal, timeoutMs: 100 });
        how(all);
        await expect(response).rejects.toBeInstanceOf(HostError);
        expect(all.wire.methods()).toEqual(["tools/call"]);
        expect(all.wire.dropped).toEqual([1]);
      });
    });

    it("sends nothing if the request is not sent yet", async () => {
      const { wire, peer } = open();
      const signal = AbortSignal.abort("too late");
      const { response } = peer.request("tools/call", noParams, { signal, sendCancelled: true });
      await expect(response).rejects.toMatchObject({ code: "CANCELLED", details: { reason: "too late" } });
      expect(wire.sent).toEqual([]);
      expect(wire.dropped).toEqual([]);
    });

    it("has no effect after the response", async () => {
      const { wire, peer, abort, clock } = open();
      const options = { signal: abort.signal, timeoutMs: 100, maxMs: 100, sendCancelled: true };
      const { response } = peer.request("tools/call", noParams, options);
      wire.receive({ ...rpc, id: 1, result: {} });
      abort.abort();
      clock.advance(1000);
      expect(await response).toMatchObject({ ok: true });
      expect(wire.methods()).toEqual(["tools/call"]);
      expect(wire.dropped).toEqual([]);
    });

    it("stays in effect if its notification cannot be sent, and the failure is counted", async () => {
      const { wire, peer } = open();
      const request = peer.request("tools/call", noParams, { sendCancelled: true });
      wire.broken = crash;
      request.cancel("enough");
      await expect(request.response).rejects.toMatchObject({ code: "CANCELLED" });
      expect(peer.counters.undelivered).toBe(1);
    });
  });

  describe("end of the transport", () => {
    it("fails every request once, and calls `closed` once", async () => {
      const { wire, peer, received } = open();
      const requests = [peer.request("tools/list", noParams), peer.request("tools/call", noParams)];
      wire.events.closed(crash);
      wire.events.closed(new HostError("CONNECTION_LOST", { server: "files", reason: "again" }));
      for (const { response } of requests) await expect(response).rejects.toBe(crash);
      expect(received.closed).toEqual([crash]);
      expect(wire.dropped).toEqual([]);
    });

    it("fails later requests with the same error without sending them", async () => {
      const { wire, peer } = open();
      wire.events.closed(crash);
      await expect(peer.request("tools/call", noParams).response).rejects.toBe(crash);
      await peer.notify("notifications/initialized");
      expect(wire.sent).toEqual([]);
    });

    it("fails requests with CONNECTION_CLOSED if we close it", async () => {
      const { wire, peer, received } = open();
      const { response } = peer.request("tools/call", noParams);
      await peer.close();
      await expect(response).rejects.toMatchObject({ code: "CONNECTION_CLOSED", details: { server: "files" } });
      expect(received.closed).toMatchObject([{ code: "CONNECTION_CLOSED" }]);
      expect(wire.closes).toBe(1);
    });

    it("does not affect other requests if only one request fails", async () => {
      const { wire, peer } = open();
      const [first, second] = [peer.request("tools/list", noParams), peer.request("tools/call", noParams)];
      wire.events.requestFailed(first.id, crash);
      await expect(first.response).rejects.toBe(crash);
      expect(second.settled).toBe(false);
      expect(wire.dropped).toEqual([]);
    });
  });

  it("needs one timer for all pending requests, and none after close", async () => {
    const { peer, clock } = open();
    for (let at = 0; at < 100; at++) peer.request("tools/call", noParams, { timeoutMs: 60_000, maxMs: 600_000 });
    expect(clock.pendingTimers).toBe(1);
    await peer.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it("rejects requests beyond the limit until another one settles", async () => {
    const { wire, peer } = open({ maxInFlight: 2 });
    const first = peer.request("tools/call", noParams);
    peer.request("tools/call", noParams);
    await expect(peer.request("tools/call", noParams).response).rejects.toMatchObject({
      code: "TOO_MANY_CALLS",
      details: { server: "files", limit: 2 },
    });
    expect(wire.sent).toHaveLength(2);
    wire.receive({ ...rpc, id: first.id, result: {} });
    peer.request("tools/call", noParams);
    expect(wire.sent).toHaveLength(3);
  });

  it("sends each request with a new id, which its params may contain", { meta: { covers: ["R0.17"] } }, () => {
    const { wire, peer } = open();
    const headers = { "mcp-method": "tools/call" };
    peer.request("tools/list", noParams);
    peer.request("tools/call", (id) => ({ _meta: { progressToken: id } }), { headers });
    expect(wire.sent).toEqual([
      { message: { ...rpc, id: 1, method: "tools/list", params: {} }, headers: undefined },
      { message: { ...rpc, id: 2, method: "tools/call", params: { _meta: { progressToken: 2 } } }, headers },
    ]);
  });

  describe("request of the other side", () => {
    const question = { ...rpc, id: "q-1", method: "elicitation/create", params: { message: "Name?" } };

    it("is passed on with its stream, and answered once", async () => {
      const { wire, peer, received } = open();
      wire.receive(question, 7);
      expect(received.requests).toEqual([{ message: question, relatedRequestId: 7 }]);
      await peer.respond("q-1", { action: "decline" });
      await peer.respond("q-1", { action: "accept" });
      expect(wire.sent).toEqual([
        { message: { ...rpc, id: "q-1", result: { action: "decline" } }, headers: undefined },
      ]);
    });

    it("can be answered with an error", () => {
      const { wire, peer } = open();
      wire.receive(question);
      peer.respondWithError("q-1", { code: -32601, message: "not here" });
      expect(wire.sent).toMatchObject([
        { message: { ...rpc, id: "q-1", error: { code: -32601, message: "not here" } } },
      ]);
    });

    it("gets no response after it was cancelled", async () => {
      const { wire, peer } = open();
      wire.receive(question);
      peer.forget("q-1");
      await peer.respond("q-1", { action: "accept" });
      expect(wire.sent).toEqual([]);
    });

    it("is not answered by a response with the same id as a string", async () => {
      const { wire, peer } = open();
      wire.receive({ ...question, id: 1 });
      await peer.respond("1", { action: "accept" });
      expect(wire.sent).toEqual([]);
    });

    it("is separate from a request with the same id on another stream", async () => {
      const { wire, peer } = open();
      wire.receive(question, 7);
      wire.receive(question, 8);
      wire.receive(question);
      await peer.respond("q-1", { from: 8 }, undefined, 8);
      await peer.respond("q-1", { from: 8 }, undefined, 8);
      peer.forget("q-1", 7);
      await peer.respond("q-1", { from: 7 }, undefined, 7);
      peer.respondWithError("q-1", { code: 1, message: "no" });
      expect(wire.sent.map(({ message }) => message)).toEqual([
        { ...rpc, id: "q-1", result: { from: 8 } },
        { ...rpc, id: "q-1", error: { code: 1, message: "no" } },
      ]);
    });

    it("can be answered or cancelled without its stream", async () => {
      const { wire, peer } = open();
      wire.receive(question, 7);
      await peer.respond("q-1", { action: "decline" });
      wire.receive(question, 8);
      peer.forget("q-1");
      wire.receive(question, 9);
      peer.forget("q-1", 10);
      await peer.respond("q-1", { action: "accept" });
      expect(wire.sent).toMatchObject([{ message: { id: "q-1", result: { action: "decline" } } }]);
    });

    it("is answered with an error if too many requests are pending", async () => {
      const { wire, peer, received } = open();
      for (let id = 1; id <= 1025; id++) wire.receive({ ...question, id });
      expect(received.requests).toHaveLength(1024);
      expect(wire.sent).toMatchObject([{ message: { id: 1025, error: { code: -32603 } } }]);
      await peer.respond(1, {});
      wire.receive({ ...question, id: 1026 });
      expect(received.requests).toHaveLength(1025);
    });

    it("does not settle our request with the same id", () => {
      const { wire, peer, received } = open();
      const request = peer.request("tools/call", noParams);
      wire.receive({ ...question, id: request.id });
      expect(request.settled).toBe(false);
      expect(received.requests).toHaveLength(1);
    });

    it("rejects `respond` if the response cannot be delivered", async () => {
      const { wire, peer } = open();
      wire.receive(question);
      wire.receive({ ...question, id: "q-2" });
      wire.broken = crash;
      await expect(peer.respond("q-1", {})).rejects.toBe(crash);
      peer.respondWithError("q-2", { code: 1, message: "no" });
      await Promise.resolve();
      expect(peer.counters.undelivered).toBe(2);
    });
  });

  it("passes notifications on with their streams", () => {
    const { wire, received } = open();
    const message = { ...rpc, method: "notifications/tools/list_changed" };
    wire.receive(message, 3);
    wire.receive(message);
    expect(received.notifications).toEqual([
      { message, relatedRequestId: 3 },
      { message, relatedRequestId: undefined },
    ]);
  });

  const noParams = () => ({});

  type Opened = ReturnType<typeof open>;

  function open(options: Partial<PeerOptions> = {}) {
    const wire = new MemoryTransport();
    const clock = new ManualClock();
    const abort = new AbortController();
    const peer = new Peer({ server: "files", transport: wire, clock, ...options });
    const received = {
      requests: [] as { message: RequestMessage; relatedRequestId: RequestId | undefined }[],
      notifications: [] as { message: NotificationMessage; relatedRequestId: RequestId | undefined }[],
      late: [] as RequestId[],
      closed: [] as HostError[],
    };
    peer.setEventHandlers({
      request: (message, relatedRequestId) => received.requests.push({ message, relatedRequestId }),
      notification: (message, relatedRequestId) => received.notifications.push({ message, relatedRequestId }),
      lateResponse: (id) => received.late.push(id),
      closed: (error) => received.closed.push(error),
    });
    return { wire, clock, abort, peer, received };
  }

  /** Records sent messages, and delivers the messages that the test passes in. */
  class MemoryTransport implements Transport {
    readonly multiplexed = true;
    readonly sent: { readonly message: Message; readonly headers: WireHeaders | undefined }[] = [];
    readonly dropped: RequestId[] = [];
    events!: TransportEvents;
    broken: HostError | undefined;
    closes = 0;

    start(events: TransportEvents): void {
      this.events = events;
    }

    async send(message: Message, headers?: WireHeaders): Promise<void> {
      if (this.broken) throw this.broken;
      this.sent.push({ message, headers });
    }

    closeRequestStream(id: RequestId): void {
      this.dropped.push(id);
    }

    async close(): Promise<void> {
      this.closes += 1;
    }

    receive(value: unknown, relatedRequestId?: RequestId): void {
      this.events.message(classify(value), relatedRequestId);
    }

    progress(params: unknown): void {
      this.receive({ ...rpc, method: "notifications/progress", params });
    }

    methods(): string[] {
      return this.sent.map(({ message }) => ("method" in message ? message.method : "(answer)"));
    }
  }
});
