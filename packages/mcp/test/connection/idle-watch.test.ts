/** Servers that run only while somebody uses them. */
import { IdleWatch } from "#connection/idle-watch.js";
import { OpenCalls } from "#connection/open-calls.js";
import { HostError } from "@plugboard/contracts";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import type { CallContext, CatalogSnapshot, Connection, Outcome, Suspended, TaskOutcome } from "@plugboard/mcp";
import { describe, expect, it, vi } from "vitest";
import { ann, expectSuspended, makeConnection, expectText } from "../helpers/connect.ts";
import { ManualClock } from "../helpers/manual-clock.ts";
import { journalingServer } from "../helpers/journaling-server.ts";

const ctx: CallContext = { caller: ann, timeoutMs: 15_000, maxMs: 60_000, elicitation: true };

function callTool(connection: Connection, name: string): Promise<Outcome> {
  return connection.request({ method: "tools/call", params: { name, arguments: {} } }, ctx);
}

const done: Outcome = { type: "complete", result: {} };

/** A promise that the test settles. */
function pending<T>() {
  let settle!: (value: T) => void;
  const promise = new Promise<T>((resolve) => (settle = resolve));
  return {
    promise,
    settle: async (value: T) => (settle(value), new Promise<void>((resolve) => setImmediate(resolve))),
  };
}

describe("a server is in use", () => {
  function watch() {
    const clock = new ManualClock();
    const onUnused = vi.fn<() => void>();
    const calls = new OpenCalls(() => idle.used());
    const idle = new IdleWatch({ clock, afterMs: 1000, inUse: () => calls.count > 0, onUnused });
    const unusedAfter = (ms: number) => {
      clock.advance(ms - 1);
      expect(onUnused).not.toHaveBeenCalled();
      clock.advance(1);
      expect(onUnused).toHaveBeenCalledOnce();
    };
    return { clock, idle, calls, onUnused, unusedAfter };
  }

  function suspended(resume: Suspended["resume"], portable: boolean, overtaken = new AbortController()): Suspended {
    const abandon = vi.fn<() => void>();
    return {
      type: "asks",
      asks: {},
      obsolete: overtaken.signal,
      resume,
      abandon,
      ...(portable && { portable: { round: 1 } }),
    };
  }

  it("for a while after it was opened", () => {
    watch().unusedAfter(1000);
  });

  it("while a request is in flight, and for a while after the last", async () => {
    const { clock, calls, unusedAfter } = watch();
    const [one, other] = [pending<Outcome>(), pending<Outcome>()];
    const ends = [calls.track(one.promise), calls.track(other.promise)];
    clock.advance(5000);
    await one.settle(done);
    clock.advance(5500);
    await other.settle({ type: "failed", error: new HostError("CANCELLED", { reason: "" }) });
    expect(await Promise.all(ends)).toEqual([done, { type: "failed", error: expect.any(HostError) as HostError }]);
    unusedAfter(1000);
  });

  it("while it waits with a question, and on from the answer", async () => {
    const { clock, calls, unusedAfter } = watch();
    const rest = pending<Outcome>();
    const question = expectSuspended(await calls.track(Promise.resolve(suspended(() => rest.promise, false))));
    clock.advance(60_000);
    const end = question.resume({}, {});
    clock.advance(60_000);
    await rest.settle(done);
    expect(await end).toBe(done);
    unusedAfter(1000);
  });

  it.each(["abandoned", "overtaken"])("until its question is %s", async (how) => {
    const { clock, calls, unusedAfter } = watch();
    const overtaken = new AbortController();
    const original = suspended(() => Promise.resolve(done), false, overtaken);
    const question = expectSuspended(await calls.track(Promise.resolve(original)));
    clock.advance(60_000);
    if (how === "overtaken") overtaken.abort();
    else question.abandon("no");
    expect(original.abandon).toHaveBeenCalledTimes(how === "overtaken" ? 0 : 1);
    unusedAfter(1000);
  });

  it("not with a question that it has forgotten", async () => {
    const { calls, unusedAfter } = watch();
    await calls.track(Promise.resolve(suspended(() => Promise.resolve(done), true)));
    unusedAfter(1000);
  });

  it("again from the answer to such a question on", async () => {
    const { clock, calls, onUnused, unusedAfter } = watch();
    const rest = pending<Outcome>();
    const question = expectSuspended(await calls.track(Promise.resolve(suspended(() => rest.promise, true))));
    clock.advance(900);
    const end = question.resume({}, {});
    clock.advance(60_000);
    expect(onUnused).not.toHaveBeenCalled();
    await rest.settle(done);
    await end;
    unusedAfter(1000);
  });

  it("while its task is followed", async () => {
    const { clock, calls, unusedAfter } = watch();
    const rest = pending<Outcome>();
    const task: TaskOutcome = {
      type: "task",
      task: { taskId: "t" },
      follow: () => rest.promise,
      cancel: () => Promise.resolve(),
    };
    const underway = await calls.track(Promise.resolve(task));
    if (underway.type !== "task") throw new Error("no task");
    clock.advance(900);
    const end = underway.follow({});
    clock.advance(60_000);
    await rest.settle(done);
    expect(await end).toBe(done);
    unusedAfter(1000);
  });

  it("and costs one timer, however often", async () => {
    const { clock, idle, calls } = watch();
    for (let n = 0; n < 100; n++) await calls.track(Promise.resolve(done));
    expect(clock.pendingTimers).toBe(1);
    idle.stop();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("a server that nobody uses", () => {
  it("is stopped, is still listed, and starts again with the next request", async () => {
    const server = journalingServer();
    const { connection } = makeConnection(server, { overrides: { idleStopMs: 200 } });
    const first = Number(expectText(await callTool(connection, "echo")));
    await vi.waitFor(() => expect(connection.state.phase).toBe("idle"), { timeout: 10_000 });
    await waitUntilDead(first, 5000);
    expect(connection.catalog.tools).toHaveLength(2);
    expect(connection.tools().tools).toHaveLength(2);
    expect(server.journal().filter((line) => line.startsWith("start"))).toHaveLength(1);
    const second = Number(expectText(await callTool(connection, "echo")));
    expect(second).not.toBe(first);
    expect(connection.state).toMatchObject({ phase: "ready", restarts: 0, failures: 0 });
    await connection.stop();
    expect(connection.catalog.tools).toEqual([]);
  });

  it("is not stopped while it waits for an answer", async () => {
    const { connection } = makeConnection(scriptedLegacy(), { overrides: { idleStopMs: 50 } });
    const question = expectSuspended(await callTool(connection, "ask"));
    const { pid } = connection;
    await expect(vi.waitFor(() => expect(connection.state.phase).toBe("idle"), { timeout: 500 })).rejects.toThrow();
    expect(isAlive(pid!)).toBe(true);
    const [key = ""] = Object.keys(question.asks);
    const end = await question.resume({ [key]: { action: "accept", content: { name: "Ann" } } }, {});
    expect(expectText(end)).toContain("Ann");
    await vi.waitFor(() => expect(connection.state.phase).toBe("idle"), { timeout: 10_000 });
  });

  it("is not stopped unless it is told so", async () => {
    const clock = new ManualClock();
    const { connection } = makeConnection(journalingServer(), { overrides: { clock } });
    await connection.ready();
    clock.advance(86_400_000);
    expect(connection.state.phase).toBe("ready");
  });
});

describe("a lazy server", () => {
  const saved: CatalogSnapshot = {
    tools: { tools: [{ name: "echo", inputSchema: {} }], dropped: [] },
    prompts: { items: [{ name: "p" }], dropped: [] },
  };

  function lazy(start: "lazy" | "eager") {
    let kept: CatalogSnapshot | undefined = saved;
    const server = journalingServer();
    const catalogStore = { get: () => kept, set: (snapshot: CatalogSnapshot) => void (kept = snapshot) };
    const { connection } = makeConnection(server, {
      limits: { firstRetryMs: 60_000 },
      overrides: { start, catalogStore },
    });
    return { server, connection, kept: () => kept };
  }

  it("is listed as it was last seen, without being started", async () => {
    const { server, connection } = lazy("lazy");
    expect(connection.catalog).toBe(saved.tools);
    expect(connection.tools()).toBe(saved.tools);
    expect(await connection.prompts()).toBe(saved.prompts);
    expect(connection).toMatchObject({ catalogAvailable: true, state: { phase: "idle" } });
    expect(server.journal()).toEqual([]);
  });

  it("is started by the first request, and what it offers now is written down", async () => {
    const { server, connection, kept } = lazy("lazy");
    const calling = callTool(connection, "echo");
    expect(connection).toMatchObject({ catalogAvailable: true, state: { phase: "connecting" } });
    expect(expectText(await calling)).toBe(String(connection.pid));
    expect(connection.catalog.tools.map(({ name }) => name)).toEqual(["echo", "crash"]);
    expect(kept()?.tools).toBe(connection.catalog);
    // Nobody has asked for them again.
    expect(kept()?.prompts).toBe(saved.prompts);
    expect(server.journal().filter((line) => line.startsWith("start"))).toHaveLength(1);
  });

  it("offers nothing while it is away for some fault", async () => {
    const { connection } = lazy("lazy");
    await callTool(connection, "crash");
    expect(connection).toMatchObject({ catalogAvailable: false, state: { phase: "waiting" }, catalog: { tools: [] } });
  });

  it("is the only kind that is listed while it is not running", () => {
    expect(lazy("eager").connection).toMatchObject({ catalogAvailable: false, catalog: { tools: [] } });
  });
});
