/** Tests servers that run only while they are used. */
import { IdleWatch } from "#connection/idle-watch.js";
import { OpenCalls } from "#connection/open-calls.js";
import { HostError } from "@plugboard/contracts";
import { isAlive, waitUntilDead } from "@plugboard/testkit/process-alive";
import { scriptedLegacy, skillsStdio } from "@plugboard/testkit/start-server";
import type { CallContext, CatalogSnapshot, Connection, Outcome, Suspended, TaskOutcome } from "@plugboard/mcp";
import { describe, expect, it, vi } from "vitest";
import { ann, expectSuspended, makeConnection, expectText } from "../helpers/connect.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { journalingServer } from "../helpers/journaling-server.ts";

const ctx: CallContext = { caller: ann, timeoutMs: 15_000, maxMs: 60_000, elicitation: true };

function callTool(connection: Connection, name: string): Promise<Outcome> {
  return connection.request({ method: "tools/call", params: { name, arguments: {} } }, ctx);
}

const done: Outcome = { type: "complete", result: {} };

/** Returns a promise that the test settles. */
function pending<T>() {
  let settle!: (value: T) => void;
  const promise = new Promise<T>((resolve) => (settle = resolve));
  return {
    promise,
    settle: async (value: T) => (settle(value), new Promise<void>((resolve) => setImmediate(resolve))),
  };
}

describe("IdleWatch", () => {
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

  function suspended(resume: Suspended["resume"], portable: boolean, obsolete = new AbortController()): Suspended {
    const abandon = vi.fn<() => void>();
    return {
      type: "asks",
      asks: {},
      obsolete: obsolete.signal,
      resume,
      abandon,
      ...(portable && { portable: { round: 1 } }),
    };
  }

  it("reports a new server as unused after the idle time", () => {
    watch().unusedAfter(1000);
  });

  it("waits while a request is in flight, and then for the idle time", async () => {
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

  it("waits while a call is suspended, and after it is resumed", async () => {
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

  it.each(["abandoned", "obsolete"])("stops waiting when the suspended call is %s", async (how) => {
    const { clock, calls, unusedAfter } = watch();
    const obsolete = new AbortController();
    const original = suspended(() => Promise.resolve(done), false, obsolete);
    const question = expectSuspended(await calls.track(Promise.resolve(original)));
    clock.advance(60_000);
    if (how === "obsolete") obsolete.abort();
    else question.abandon("no");
    expect(original.abandon).toHaveBeenCalledTimes(how === "obsolete" ? 0 : 1);
    unusedAfter(1000);
  });

  it("does not wait for a suspended call without state at the server", async () => {
    const { calls, unusedAfter } = watch();
    await calls.track(Promise.resolve(suspended(() => Promise.resolve(done), true)));
    unusedAfter(1000);
  });

  it("waits again after a call without state at the server is resumed", async () => {
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

  it("waits while a task is followed", async () => {
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

  it("needs one timer for any number of requests", async () => {
    const { clock, idle, calls } = watch();
    for (let n = 0; n < 100; n++) await calls.track(Promise.resolve(done));
    expect(clock.pendingTimers).toBe(1);
    idle.stop();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("unused server", () => {
  it("is stopped, keeps its catalog, and starts again with the next request", async () => {
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

  it("is not stopped while a call is suspended", async () => {
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

  it("is not stopped while a caller has subscribed to a resource", async () => {
    const { connection } = makeConnection(skillsStdio("legacy"), { overrides: { idleStopMs: 50 } });
    await connection.ready();
    const subscription = connection.listen({ uris: ["note://today"] }, () => {});
    await expect(vi.waitFor(() => expect(connection.state.phase).toBe("idle"), { timeout: 500 })).rejects.toThrow();
    subscription.stop();
    await vi.waitFor(() => expect(connection.state.phase).toBe("idle"), { timeout: 10_000 });
  });

  it("is not stopped without an idle time", async () => {
    const clock = new ManualClock();
    const { connection } = makeConnection(journalingServer(), { overrides: { clock } });
    await connection.ready();
    clock.advance(86_400_000);
    expect(connection.state.phase).toBe("ready");
  });
});

describe("lazy server", () => {
  const saved: CatalogSnapshot = {
    tools: { tools: [{ name: "echo", inputSchema: {} }], dropped: [] },
    prompts: { items: [{ name: "p" }], dropped: [] },
  };

  function lazy(start: "lazy" | "eager") {
    let stored: CatalogSnapshot | undefined = saved;
    const server = journalingServer();
    const catalogStore = {
      get: () => stored,
      set: (snapshot: CatalogSnapshot) => void (stored = snapshot),
      storedAt: () => undefined,
    };
    const { connection } = makeConnection(server, {
      limits: { firstRetryMs: 60_000 },
      overrides: { start, catalogStore },
    });
    return { server, connection, stored: () => stored };
  }

  it("shows its stored catalog without being started", async () => {
    const { server, connection } = lazy("lazy");
    expect(connection.catalog).toBe(saved.tools);
    expect(connection.tools()).toBe(saved.tools);
    expect(await connection.prompts()).toBe(saved.prompts);
    expect(connection).toMatchObject({ catalogAvailable: true, state: { phase: "idle" } });
    expect(server.journal()).toEqual([]);
  });

  it("is started by the first request, and its new catalog is stored", async () => {
    const { server, connection, stored } = lazy("lazy");
    const calling = callTool(connection, "echo");
    expect(connection).toMatchObject({ catalogAvailable: true, state: { phase: "connecting" } });
    expect(expectText(await calling)).toBe(String(connection.pid));
    expect(connection.catalog.tools.map(({ name }) => name)).toEqual(["echo", "crash"]);
    expect(stored()?.tools).toBe(connection.catalog);
    // The prompts were not listed again.
    expect(stored()?.prompts).toBe(saved.prompts);
    expect(server.journal().filter((line) => line.startsWith("start"))).toHaveLength(1);
  });

  it("has an empty catalog after a failure", async () => {
    const { connection } = lazy("lazy");
    await callTool(connection, "crash");
    expect(connection).toMatchObject({ catalogAvailable: false, state: { phase: "waiting" }, catalog: { tools: [] } });
  });

  it("takes its prompts from the store, which an eager server does not", async () => {
    const { server, connection } = lazy("eager");
    expect(connection.catalog).toBe(saved.tools);
    expect(server.journal()).toEqual([]);
    expect(await connection.prompts()).not.toBe(saved.prompts);
    expect(server.journal().filter((line) => line.startsWith("start"))).toHaveLength(1);
  });
});
