import { getEventListeners } from "node:events";
import { EventLog } from "#activity/event-log.js";
import type { HostEvent, HostEventData } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const CAPACITY = 1000;

describe("EventLog", () => {
  it("numbers events consecutively and adds the time", async () => {
    let now = 100;
    const log = new EventLog(() => now);
    log.emit(catalogEvent(1));
    now = 250;
    log.emit(catalogEvent(2));
    expect(await all(log, 0)).toEqual([
      { ...catalogEvent(1), seq: 1, at: 100 },
      { ...catalogEvent(2), seq: 2, at: 250 },
    ]);
  });

  it("calls onEvent before readers get the event", () => {
    const received: HostEvent[] = [];
    const log = new EventLog(
      () => 7,
      (event) => received.push(event),
    );
    log.emit(catalogEvent(1));
    expect(received).toEqual([{ ...catalogEvent(1), seq: 1, at: 7 }]);
  });

  describe("reader", () => {
    it("gets only future events by default", async () => {
      const log = logOf(3);
      const events = log.events();
      log.emit(catalogEvent(4));
      log.close();
      expect(await seqs(events)).toEqual([4]);
    });

    it.each([
      ["no event", 0, [1, 2, 3]],
      ["some events", 1, [2, 3]],
      ["all events", 3, []],
      ["more events than there are", 9, []],
    ])("gets the remaining events if it has already read %s", async (_, after, rest) => {
      expect((await all(logOf(3), after)).map(({ seq }) => seq)).toEqual(rest);
    });

    it("gets each event once while it waits", async () => {
      const log = logOf(1);
      const events = log.events(0);
      expect(await next(events)).toBe(1);
      const second = next(events);
      log.emit(catalogEvent(2));
      log.emit(catalogEvent(3));
      expect(await second).toBe(2);
      expect(await next(events)).toBe(3);
    });

    it("gets the same events as other readers", async () => {
      const log = logOf(1);
      const readers = [log.events(0), log.events(0), log.events(1)];
      const received = Promise.all(readers.map(seqs));
      log.emit(catalogEvent(2));
      await settled();
      log.emit(catalogEvent(3));
      log.close();
      expect(await received).toEqual([
        [1, 2, 3],
        [1, 2, 3],
        [2, 3],
      ]);
    });

    it("gets only the events in the buffer if it starts late", async () => {
      const [missed, ...rest] = await all(closed(logOf(2 * CAPACITY + 3)), 0);
      expect(missed).toMatchObject({ type: "events.missed", count: CAPACITY + 3, seq: CAPACITY + 3 });
      expect(rest.map(({ seq }) => seq)).toEqual(Array.from({ length: CAPACITY }, (_, index) => index + CAPACITY + 4));
    });

    it("gets only the latest events if they contain long questions or chats", async () => {
      const log = new EventLog(() => 0);
      const long = { type: "chat.event", chat: "c", event: { type: "text", text: "x".repeat(1024 * 1024) } };
      log.emit(catalogEvent(1));
      for (let n = 0; n < 100; n++) log.emit(long as never);
      log.emit(catalogEvent(2));
      log.close();
      const [missed, ...rest] = await all(log, 0);
      expect(missed).toMatchObject({ type: "events.missed", count: 70, seq: 70 });
      expect(rest.map(({ seq }) => seq)).toEqual(Array.from({ length: 32 }, (_, index) => index + 71));
    });

    it("gets the latest event even if it exceeds the size limit", async () => {
      const log = new EventLog(() => 0);
      const long = { type: "chat.event", chat: "c", event: { type: "text", text: "x".repeat(40 * 1024 * 1024) } };
      for (let n = 0; n < 2; n++) log.emit(long as never);
      log.close();
      expect((await all(log, 0)).map(({ type, seq }) => [type, seq])).toEqual([
        ["events.missed", 1],
        ["chat.event", 2],
      ]);
    });

    it("gets events.missed if it falls behind", async () => {
      const log = logOf(1);
      const events = log.events(0);
      expect(await next(events)).toBe(1);
      for (let n = 0; n < CAPACITY + 5; n++) log.emit(catalogEvent(n));
      log.close();
      const { value: missed } = await events.next();
      expect(missed).toMatchObject({ type: "events.missed", count: 5, seq: 6 });
      const rest = await seqs(events);
      expect(rest).toEqual(Array.from({ length: CAPACITY }, (_, index) => index + 7));
    });
  });

  describe("close", () => {
    it("ends every reader after it has read the earlier events", async () => {
      const log = logOf(2);
      const [late, waiting] = [seqs(log.events(0)), seqs(log.events())];
      await settled();
      log.close();
      expect(await late).toEqual([1, 2]);
      expect(await waiting).toEqual([]);
    });

    it("keeps earlier events readable", async () => {
      const log = logOf(2);
      log.close();
      expect(await seqs(log.events(0))).toEqual([1, 2]);
    });
  });

  describe("signal", () => {
    it("ends only its waiting reader", async () => {
      const log = logOf(1);
      const abort = new AbortController();
      const [one, other] = [seqs(log.events(0, abort.signal)), seqs(log.events(0))];
      await settled();
      abort.abort();
      expect(await one).toEqual([1]);
      log.emit(catalogEvent(2));
      log.close();
      expect(await other).toEqual([1, 2]);
    });

    it("ends its reader even if some events are not read yet", async () => {
      const log = logOf(3);
      const abort = new AbortController();
      const events = log.events(0, abort.signal);
      expect(await next(events)).toBe(1);
      abort.abort();
      expect(await next(events)).toBeUndefined();
    });

    it("has one listener, however many events are read, and none after the end of the reader", async () => {
      const log = logOf(0);
      const { signal } = new AbortController();
      const events = log.events(0, signal);
      for (let n = 1; n <= 3; n++) {
        const received = next(events);
        await settled();
        expect(getEventListeners(signal, "abort")).toHaveLength(1);
        log.emit(catalogEvent(n));
        expect(await received).toBe(n);
      }
      await events.return(undefined);
      expect(getEventListeners(signal, "abort")).toHaveLength(0);
    });

    it("ends the reader at once if it is already aborted", async () => {
      expect(await seqs(logOf(3).events(0, AbortSignal.abort()))).toEqual([]);
    });
  });
});

function catalogEvent(tools: number): HostEventData {
  return { type: "catalog.changed", server: "files", tools };
}

function logOf(count: number): EventLog {
  const log = new EventLog(() => 0);
  for (let n = 1; n <= count; n++) log.emit(catalogEvent(n));
  return log;
}

function closed(log: EventLog): EventLog {
  log.close();
  return log;
}

async function all(log: EventLog, after: number): Promise<HostEvent[]> {
  log.close();
  const received: HostEvent[] = [];
  for await (const event of log.events(after)) received.push(event);
  return received;
}

async function seqs(events: AsyncIterable<HostEvent>): Promise<number[]> {
  const received: number[] = [];
  for await (const { seq } of events) received.push(seq);
  return received;
}

async function next(events: AsyncGenerator<HostEvent>): Promise<number | undefined> {
  const { value, done } = await events.next();
  return done ? undefined : value.seq;
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
