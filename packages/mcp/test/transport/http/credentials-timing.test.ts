/**
 * Tests that the time for fetching credentials does not count against the server, and that the wait can be cancelled.
 */
import type { CallContext, Connection, Op } from "@plugboard/mcp";
import { ServerClock } from "#connection/server-clock.js";
import { describe, expect, it, vi } from "vitest";
import { ann, expectFailure, makeConnection } from "../../helpers/connect.ts";
import { ManualClock } from "../../../../contracts/test/helpers/manual-clock.ts";
import { startTestHttp } from "../../helpers/open-http.ts";
import { deferred, ScriptedCredentials } from "../../helpers/scripted-credentials.ts";
import { startRestartableHttp } from "../../helpers/restartable-http.ts";

const HOUR_MS = 3_600_000;
const ctx: CallContext = { caller: ann, timeoutMs: 10_000, maxMs: 60_000, elicitation: false };
const echo: Op = { method: "tools/call", params: { name: "echo", arguments: {} } };

type Sent = { readonly authorization: string };

/** Makes the next request wait for its credentials until the test supplies them. */
function holdBack(credentials: ScriptedCredentials) {
  const give = credentials.headers.bind(credentials);
  const requested = deferred<void>();
  const supplied = deferred<Sent>();
  credentials.headers = () => {
    credentials.headers = give;
    requested.resolve();
    return supplied.promise;
  };
  return { requested: requested.promise, give: () => supplied.resolve({ authorization: "Bearer a" }) };
}

function eventually(assertion: () => void): Promise<void> {
  return vi.waitFor(assertion, { timeout: 15_000, interval: 2 });
}

describe("A connection that waits for credentials", () => {
  it.each<[string, "headers" | "refused"]>([
    ["initial credentials", "headers"],
    ["new credentials", "refused"],
  ])("does not treat the server as silent while it fetches %s", async (_, waitsIn) => {
    const clock = new ManualClock();
    const credentials = new ScriptedCredentials("a", "b");
    const validHeader = waitsIn === "headers" ? "Bearer a" : "Bearer b";
    const discovered = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    const server = await startRestartableHttp(
      { "server/discover": ({ headers }) => (headers.authorization === validHeader ? discovered : { status: 401 }) },
      { era: "modern" },
    );
    const renew = credentials.onUnauthorized.bind(credentials);
    const held = holdBack(credentials);
    const requested = deferred<void>();
    const renewed = deferred<void>();
    credentials.onUnauthorized = async (...refused) => {
      requested.resolve();
      await renewed.promise;
      return renew(...refused);
    };
    const { connection } = makeConnection(server, { overrides: { clock, credentials } });
    const ready = connection.ready();
    await held.requested;
    clock.advance(HOUR_MS);
    held.give();
    if (waitsIn === "refused") {
      await requested.promise;
      clock.advance(HOUR_MS);
      renewed.resolve();
    }
    expect((await ready).era).toBe("modern");
    expect(server.count("server/discover")).toBe(waitsIn === "headers" ? 1 : 2);
    expect(server.count("initialize")).toBe(0);
  });

  it("does not treat the server as dead", async () => {
    const clock = new ManualClock();
    const server = await startRestartableHttp();
    const credentials = new ScriptedCredentials("a");
    const { connection } = makeConnection(server, { overrides: { clock, credentials } });
    await connection.ready();
    for (let times = 1; times <= 3; times++) {
      const before = server.count("ping");
      const held = holdBack(credentials);
      clock.advance(60_000);
      await held.requested;
      clock.advance(HOUR_MS);
      held.give();
      await eventually(() => expect(server.count("ping")).toBe(before + 1));
      await connection.session?.ping(AbortSignal.timeout(15_000));
    }
    expect(connection.state).toMatchObject({ phase: "ready", attempt: 1, failures: 0 });
  });

  it("does not count the wait towards the timeout of the probe for HTTP+SSE", async () => {
    const clock = new ManualClock();
    const credentials = new ScriptedCredentials("a");
    let held: ReturnType<typeof holdBack> | undefined;
    const posted = deferred<void>();
    let refused = 0;
    const server = await startTestHttp(({ method, path, body }, response) => {
      if (method === "GET") {
        return void response
          .writeHead(200, { "content-type": "text/event-stream" })
          .write("event: endpoint\ndata: /messages\n\n");
      }
      if (path !== "/messages") {
        // The requests of both eras have failed, so the next request is the probe for HTTP+SSE.
        if (++refused === 2) {
          held = holdBack(credentials);
          posted.resolve();
        }
        return void response.writeHead(404).end();
      }
      response.writeHead(202).end();
      expect(body).toContain("initialize");
      found.resolve();
    });
    const found = deferred<void>();
    const { connection } = makeConnection(server, { overrides: { clock, credentials } });
    connection.ready().catch(() => {});
    await posted.promise;
    await held!.requested;
    clock.advance(HOUR_MS);
    held!.give();
    await found.promise;
    expect(connection.state.phase).toBe("connecting");
  });

  it("can be stopped immediately", async () => {
    const server = await startRestartableHttp();
    const credentials = new ScriptedCredentials("a");
    const held = holdBack(credentials);
    const { connection } = makeConnection(server, { overrides: { credentials } });
    const ready = expect(connection.ready()).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
    await held.requested;
    await connection.stop();
    await ready;
    expect(server.methods).toEqual([]);
  });
});

describe("A call that waits for credentials", () => {
  async function waiting(overrides: Partial<CallContext>) {
    const clock = new ManualClock();
    const server = await startRestartableHttp({}, { era: "modern" });
    const credentials = new ScriptedCredentials("a");
    const { connection } = makeConnection(server, { overrides: { clock, credentials } });
    await connection.ready();
    const held = holdBack(credentials);
    const outcome = connection.request(echo, { ...ctx, ...overrides });
    await held.requested;
    return { clock, server, held, outcome, connection };
  }

  async function wasNotSent(server: { count(method: string): number }, connection: Connection) {
    await connection.session?.ping(AbortSignal.timeout(15_000));
    expect(server.count("tools/call echo")).toBe(0);
  }

  it("fails at its own timeout", async () => {
    const { clock, server, held, outcome, connection } = await waiting({ timeoutMs: 5000 });
    clock.advance(5000);
    expect(expectFailure(await outcome).code).toBe("REQUEST_TIMEOUT");
    held.give();
    await wasNotSent(server, connection);
  });

  it("fails when its caller cancels it", async () => {
    const abort = new AbortController();
    const { server, held, outcome, connection } = await waiting({ signal: abort.signal });
    abort.abort();
    expect(expectFailure(await outcome).code).toBe("CANCELLED");
    held.give();
    await wasNotSent(server, connection);
  });
});

describe("ServerClock, which runs the timeouts of a server", () => {
  function start() {
    const clock = new ManualClock();
    const time = new ServerClock(clock);
    const credentials = new ScriptedCredentials("a", "b");
    const timed = time.pausedDuring(credentials);
    const due: string[] = [];
    return { clock, time, credentials, timed, due };
  }
  const request = { method: "POST", url: "http://127.0.0.1/" };

  it("runs normally while credentials are available", () => {
    const { clock, time, timed, due } = start();
    time.after(100, () => due.push("due"));
    const cancel = time.after(50, () => due.push("taken back"));
    cancel();
    expect(timed.headers(request)).toEqual({ authorization: "Bearer a" });
    clock.advance(99);
    expect(due).toEqual([]);
    clock.advance(1);
    expect(due).toEqual(["due"]);
    expect(clock.pendingTimers).toBe(0);
  });

  it("stops while credentials are fetched, and then continues", async () => {
    const { clock, time, credentials, timed, due } = start();
    time.after(100, () => due.push("before"));
    clock.advance(60);
    const held = holdBack(credentials);
    const headers = timed.headers(request);
    const renewed = deferred<boolean>();
    credentials.onUnauthorized = () => renewed.promise;
    const refused = timed.onUnauthorized({ status: 401 }, {});
    const cancel = time.after(10, () => due.push("taken back"));
    time.after(10, () => due.push("meanwhile"));
    cancel();
    clock.advance(HOUR_MS);
    held.give();
    expect(await headers).toEqual({ authorization: "Bearer a" });
    clock.advance(HOUR_MS);
    expect(due).toEqual([]);
    renewed.resolve(false);
    expect(await refused).toBe(false);
    clock.advance(10);
    expect(due).toEqual(["meanwhile"]);
    clock.advance(29);
    expect(due).toEqual(["meanwhile"]);
    clock.advance(1);
    expect(due).toEqual(["meanwhile", "before"]);
  });

  it("continues when fetching credentials fails", async () => {
    const { clock, time, credentials, timed, due } = start();
    time.after(10, () => due.push("due"));
    credentials.headers = () => Promise.reject(new Error("no"));
    await expect(timed.headers(request)).rejects.toThrow("no");
    clock.advance(10);
    expect(due).toEqual(["due"]);
  });
});
