/** Tests many servers that start at the same time, as real processes. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import { Processes } from "@plugboard/mcp/process";
import { describe, expect, it, vi } from "vitest";
import { makeConnection } from "../helpers/connect.ts";
import { fastClock } from "../helpers/fast-clock.ts";
import { journalingServer } from "../helpers/journaling-server.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { startRestartableHttp } from "../helpers/restartable-http.ts";

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** One server may start at a time. The queue of starts has a clock that runs ten times faster. */
function oneStartAtATime() {
  const processes = new Processes(fastClock, undefined, 1);
  const start = vi.spyOn(processes, "start");
  return { processes, startCount: () => start.mock.calls.length };
}

describe("Connections that start at the same time", { meta: { covers: ["F55"] } }, () => {
  it("start one after the other, and the start-up timeout of each begins with its process", async () => {
    const { processes, startCount } = oneStartAtATime();
    const clock = new ManualClock();
    const options = { startupTimeoutMs: 30_000, overrides: { processes, clock } };
    const first = makeConnection(scriptedLegacy("--never-start"), options).connection;
    const second = makeConnection(scriptedLegacy(), options).connection;
    const failed = expect(first.ready()).rejects.toMatchObject({ code: "SERVER_NOT_RESPONDING" });
    const opened = second.ready();
    await settle();
    expect(startCount()).toBe(1);
    clock.advance(30_000);
    await failed;
    await first.stop();
    await opened;
    expect(startCount()).toBe(2);
  });

  it("start those first that a request waits for", async () => {
    const { processes } = oneStartAtATime();
    const opened: string[] = [];
    const open = (name: string) =>
      makeConnection(journalingServer(), {
        overrides: {
          processes,
          onChanged: () => void (connections[name]!.state.phase === "ready" && opened.push(name)),
        },
      }).connection;
    const connections: { [name: string]: ReturnType<typeof open> } = {};
    for (const name of ["a", "b", "c"]) connections[name] = open(name);
    const { a, b, c } = connections;
    await Promise.all([a!.start(), b!.start(), c!.ready()]);
    expect([...new Set(opened)]).toEqual(["a", "c", "b"]);
  });

  it("do not wait if they have no process", async () => {
    const { processes } = oneStartAtATime();
    const hanging = makeConnection(scriptedLegacy("--never-start"), { overrides: { processes } }).connection;
    const starting = hanging.ready().catch(() => {});
    const server = await startRestartableHttp({});
    const { connection } = makeConnection({ url: server.url }, { overrides: { processes } });
    await connection.ready();
    expect(hanging.state.phase).toBe("connecting");
    await hanging.stop();
    await starting;
  });

  it("can be stopped while they wait for their turn", async () => {
    const { processes, startCount } = oneStartAtATime();
    const options = { overrides: { processes } };
    const [hanging, queued] = [
      makeConnection(scriptedLegacy("--never-start"), options),
      makeConnection(scriptedLegacy(), options),
    ];
    const starting = hanging.connection.ready().catch(() => {});
    const closed = expect(queued.connection.ready()).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    await queued.connection.stop();
    await closed;
    await hanging.connection.stop();
    await starting;
    expect(startCount()).toBe(1);
  });
});
