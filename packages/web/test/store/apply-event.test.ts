import type { HostEvent, HostEventData, ServerStatus } from "@plugboard/contracts";
import { applyEvent, changesServers } from "#store/apply-event.js";
import { INITIAL_STATE, MAX_CALLS, MAX_LATENCIES, withSnapshot, withStatuses } from "#store/page-state.js";
import { describe, expect, it } from "vitest";

const server = (change: Partial<ServerStatus> = {}): ServerStatus => ({
  id: "s",
  transport: "stdio",
  source: "user",
  target: "x",
  enabled: true,
  state: "ready",
  tools: 1,
  ...change,
});
let seq = 0;
const event = (data: HostEventData): HostEvent => ({ ...data, seq: ++seq, at: seq });
const caller = { kind: "front", id: "f", client: "cursor" } as const;
const started = (call: string) => event({ type: "call.started", call, caller, server: "s", tool: "t" });
const ended = (call: string, durationMs: number) =>
  event({
    type: "call.ended",
    call,
    caller,
    server: "s",
    tool: "t",
    outcome: "failed",
    code: "SERVER_CRASHED",
    durationMs,
  });

const begin = withSnapshot(INITIAL_STATE, { seq: 0, servers: [server()], questions: [] }, []);

describe("applyEvent", () => {
  it("changes the state of a server, and removes an error that is gone", () => {
    const error = { code: "SERVER_CRASHED", message: "It crashed.", details: {} } as const;
    const failed = applyEvent(begin, event({ type: "server.changed", server: "s", state: "error", error }));
    expect(failed.servers[0]).toMatchObject({ state: "error", lastError: error });
    const ready = applyEvent(failed, event({ type: "server.changed", server: "s", state: "ready" }));
    expect(ready.servers[0]).not.toHaveProperty("lastError");
    // The tools are listed again, because the host emits no event about tools that are the same after a restart.
    expect([failed, ready].map(({ catalogRevision }) => catalogRevision - begin.catalogRevision)).toEqual([1, 2]);
    expect(changesServers(event({ type: "server.changed", server: "s", state: "ready" }))).toBe(true);
  });

  it("counts the changes of each server's own catalog", () => {
    const changed = event({ type: "catalog.changed", server: "s", tools: 7 });
    const { servers, contentRevisions, catalogRevision } = applyEvent(applyEvent(begin, changed), changed);
    expect(servers[0]!.tools).toBe(7);
    expect([contentRevisions, catalogRevision - begin.catalogRevision]).toEqual([{ s: 2 }, 2]);
  });

  it("completes a call that was started, and records a call whose start was missed", () => {
    const calls = [started("1"), ended("1", 5), ended("2", 7)].reduce(applyEvent, begin);
    expect(calls.calls).toMatchObject([
      { call: "2", outcome: "failed", durationMs: 7 },
      { call: "1", outcome: "failed", code: "SERVER_CRASHED", client: "cursor", durationMs: 5 },
    ]);
    expect(calls.latencies).toEqual({ s: [5, 7] });
  });

  it("counts in the latencies neither calls that were not sent nor the start of a server", () => {
    const events = [
      { ...ended("1", 5), notSent: true as const },
      { ...ended("2", 1500), startMs: 1490 },
    ];
    const { calls, latencies } = events.reduce(applyEvent, begin);
    expect(calls).toMatchObject([{ startMs: 1490 }, { notSent: true }]);
    expect(latencies).toEqual({ s: [10] });
  });

  it("records a decision with its call", () => {
    const about = { type: "decision.made", caller, server: "s", tool: "t", by: "user" } as const;
    const decided = event({ ...about, call: "b", decision: "once" });
    const unknown = event({ ...about, call: "c", decision: "no" });
    const events = [started("a"), started("b"), unknown, decided, { ...ended("b", 9000), questionMs: 8990 }];
    const { calls, latencies } = events.reduce(applyEvent, begin);
    expect(calls.map(({ call, decision }) => [call, decision])).toEqual([
      ["b", "once"],
      ["a", undefined],
    ]);
    // The time that the call has waited for a person is no latency.
    expect(latencies).toEqual({ s: [10] });
  });

  it("names a client by its token, or without one by the name that it gives itself", () => {
    const call = { type: "call.started", server: "s", tool: "t" } as const;
    const withToken = event({
      ...call,
      call: "1",
      caller: { ...caller, principal: { id: "token:1", name: "work", mayApprove: false } },
    });
    const { calls } = [withToken, started("2"), ended("3", 5)].reduce(applyEvent, begin);
    expect(calls.map(({ client }) => client)).toEqual(["cursor", "cursor", "work"]);
  });

  it("keeps a limited number of calls and latencies", () => {
    let state = begin;
    for (let n = 0; n < MAX_CALLS + 10; n++) state = applyEvent(state, ended(String(n), n));
    expect([state.calls.length, state.latencies["s"]!.length]).toEqual([MAX_CALLS, MAX_LATENCIES]);
    expect(state.calls[0]!.call).toBe(String(MAX_CALLS + 9));
  });

  it("adds a question once and removes it when it is settled", () => {
    const question = {
      type: "sampling",
      id: "q",
      owner: "workspace",
      server: "s",
      askedAt: 0,
      deadline: 1,
      request: {},
    } as const;
    const asked = event({ type: "question.asked", question });
    const state = applyEvent(applyEvent(begin, asked), asked);
    expect(state.questions).toEqual([question]);
    const settled = event({ type: "question.settled", question, settlement: { by: "withdrawn" } });
    expect(applyEvent(state, settled).questions).toEqual([]);
  });
});

describe("withStatuses", () => {
  const two = withStatuses(begin, [server({ id: "a" }), server({ id: "b" })]);

  it("keeps the object of a server that has not changed, and the whole state if no server has changed", () => {
    const next = withStatuses(two, [server({ id: "a" }), server({ id: "b", tools: 2 })]);
    expect(next.servers[0]).toBe(two.servers[0]);
    expect(next.servers[1]).toEqual(server({ id: "b", tools: 2 }));
    expect(withStatuses(two, [server({ id: "a" }), server({ id: "b" })])).toBe(two);
  });

  it("lists the tools again if a status says that a server is ready before the event does", () => {
    const starting = withStatuses(begin, [server({ state: "connecting" })]);
    const ready = withStatuses(starting, [server()]);
    const afterEvent = applyEvent(ready, event({ type: "server.changed", server: "s", state: "ready" }));
    const revisions = [begin, starting, ready, afterEvent].map(({ catalogRevision }) => catalogRevision);
    expect(revisions.map((revision) => revision - revisions[0]!)).toEqual([0, 1, 2, 2]);
  });

  it("takes the order of the new list, and removes a server that is not in it", () => {
    expect(withStatuses(two, [two.servers[1]!, two.servers[0]!]).servers.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(withStatuses(two, [server({ id: "a" })]).servers.map(({ id }) => id)).toEqual(["a"]);
  });
});
