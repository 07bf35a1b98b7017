/** Tests a connection to real HTTP servers that disappear, come back, or ask to retry later. */
import type { ServerResponse } from "node:http";
import type { Era, JsonObject } from "@plugboard/contracts";
import type { CallContext, Connection, ConnectionOptions, Op } from "@plugboard/mcp";
import { describe, expect, it, vi } from "vitest";
import { ann, expectFailure, makeConnection, expectText } from "../helpers/connect.ts";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { startRestartableHttp } from "../helpers/restartable-http.ts";
import type { McpHttpRequest } from "../helpers/restartable-http.ts";

const FAST = { firstRetryMs: 20, maxRetryMs: 300, healthRetryMs: 20 };
const ctx: CallContext = { caller: ann, timeoutMs: 10_000, maxMs: 60_000, elicitation: false };
const echo: Op = { method: "tools/call", params: { name: "echo", arguments: {} } };
const list: Op = { method: "tools/list", params: {} };

function until(connection: Connection, phase: string): Promise<void> {
  return vi.waitFor(() => expect(connection.state.phase).toBe(phase), { timeout: 15_000, interval: 2 });
}

describe("Connection over a network", () => {
  describe.each<Era>(["legacy", "modern"])("%s server whose network fails", (era) => {
    it(
      "is reconnected automatically, and reports SERVER_UNREACHABLE meanwhile",
      { meta: { covers: ["F31", "R2.29", "R3.50", "R4.25"] } },
      async () => {
        const server = await startRestartableHttp({}, { era });
        const { connection } = makeConnection({ url: server.url }, { limits: FAST });
        expect(expectText(await connection.request(echo, ctx))).toBe("ok");

        await server.stop();
        expect(expectFailure(await connection.request(echo, ctx)).code).toMatch(
          /^(SERVER_UNREACHABLE|CONNECTION_LOST)$/,
        );
        await until(connection, "waiting");
        expect(connection.catalog.tools).toEqual([]);
        expect(connection.state).toMatchObject({ error: { code: "SERVER_UNREACHABLE" } });
        // The connection never stops trying, with the maximum pause between two attempts.
        await vi.waitFor(() => expect(connection.state.failures).toBeGreaterThan(6), { timeout: 15_000 });
        const pauses = new Set<number>();
        await vi.waitFor(
          () => {
            const { state } = connection;
            if (state.phase === "waiting") pauses.add(state.retryAt);
            expect(pauses.size).toBeGreaterThan(2);
          },
          { timeout: 15_000, interval: 2 },
        );

        await server.start();
        await until(connection, "ready");
        expect(connection.catalog.tools).toHaveLength(1);
        expect(expectText(await connection.request(echo, ctx))).toBe("ok");
        expect(server.count("tools/call echo")).toBe(2);
      },
    );
  });

  describe("reconnect pauses", { meta: { covers: ["F31"] } }, () => {
    it("differ between connections", async () => {
      const server = await startRestartableHttp();
      await server.stop();
      const random = [0, 0.5, 1];
      const pauses = await Promise.all(
        random.map(async (chance) => {
          const clock = { now: () => 0, after: () => () => {} };
          const { connection } = makeConnection({ url: server.url }, { overrides: { random: () => chance, clock } });
          await expect(connection.ready()).rejects.toMatchObject({ code: "SERVER_UNREACHABLE" });
          return connection.state;
        }),
      );
      expect(pauses).toMatchObject([{ retryAt: 1000 }, { retryAt: 750 }, { retryAt: 500 }]);
    });
  });

  describe("server that stops answering", () => {
    it("is detected by the health check", { meta: { covers: ["R3.52", "R4.25"] } }, async () => {
      let silent = false;
      const server = await startRestartableHttp({
        ping: () => (silent ? "taken" : {}),
        "tools/list": () => (silent ? "taken" : { tools: [] }),
      });
      const { connection } = makeConnection(
        { url: server.url },
        { limits: { ...FAST, healthTimeoutMs: 30 }, overrides: { healthIntervalMs: 20 } },
      );
      await connection.ready();
      await vi.waitFor(() => expect(server.count("ping")).toBeGreaterThan(3));
      expect(connection.state.restarts).toBe(0);
      silent = true;
      await until(connection, "waiting");
      expect(connection.state).toMatchObject({ error: { code: "CONNECTION_LOST" } });
      silent = false;
      await until(connection, "ready");
    });

    it.each<[Era, string, number]>([
      ["legacy", "ping", 2],
      ["modern", "server/discover", 0],
    ])(
      "gets health pings only if it is legacy (%s server: %s is sent %i times in a minute)",
      async (era, method, times) => {
        const clock = new ManualClock();
        const server = await startRestartableHttp({}, { era });
        const { connection } = makeConnection({ url: server.url }, { overrides: { clock } });
        await connection.ready();
        const before = server.count(method);
        for (let n = 1; n <= 2; n++) {
          clock.advance(30_000);
          await connection.session?.ping(AbortSignal.timeout(5000));
        }
        // Includes the two pings that the test sends itself.
        expect(server.count(method) - before).toBe(times + 2);
      },
    );
  });

  it(
    "requires a login when the server no longer accepts the credentials, and works again after a retry",
    { meta: { covers: ["R1.23"] } },
    async () => {
      let known = true;
      const server = await startRestartableHttp({
        ping: () => (known ? {} : { status: 401 }),
        "tools/call": () => (known ? { content: [] } : { status: 401 }),
      });
      const { connection } = makeConnection({ url: server.url }, { limits: FAST });
      await connection.ready();
      known = false;
      expect(expectFailure(await connection.request(echo, ctx)).code).toBe("AUTH_REQUIRED");
      await until(connection, "auth_required");
      const seen = server.methods.length;
      expect(expectFailure(await connection.request(echo, ctx)).code).toBe("AUTH_REQUIRED");
      expect(server.methods).toHaveLength(seen);
      known = true;
      await connection.retry();
      expect(connection.state.phase).toBe("ready");
    },
  );

  it(
    "reports the error of a server that cannot list its tools, and does not retry",
    { meta: { covers: ["R1.50"] } },
    async () => {
      const server = await startRestartableHttp({ "tools/list": () => ({ tools: "none" }) });
      const { connection } = makeConnection({ url: server.url }, { limits: FAST });
      const what = 'tools/list has no list of "tools"';
      await expect(connection.ready()).rejects.toMatchObject({
        code: "UNEXPECTED_RESPONSE",
        details: { reason: what },
      });
      expect(connection.state).toMatchObject({ phase: "error", error: { code: "UNEXPECTED_RESPONSE" } });
    },
  );

  describe("a request whose response was lost", () => {
    /** Drops the given number of requests, beginning with the first request of the test. */
    async function lossy(losses: number, overrides: Partial<ConnectionOptions> = {}, limits = FAST) {
      let lost = 0;
      const cut = (answer: JsonObject) => (_: McpHttpRequest, response: ServerResponse) => {
        if (connection.state.phase === "connecting" || lost++ >= losses) return answer;
        response.destroy();
        return "taken";
      };
      const server = await startRestartableHttp({
        "tools/list": cut({ tools: [] }),
        "tools/call": cut({ content: [] }),
      });
      const { connection } = makeConnection({ url: server.url }, { limits, overrides });
      await connection.ready();
      server.methods.length = 0;
      return { server, connection };
    }

    it.each([1, 3])("is sent again if it is a listing, and its response was lost %i times", async (losses) => {
      const { server, connection } = await lossy(losses);
      expect(await connection.request(list, ctx)).toMatchObject({ type: "complete" });
      expect(server.count("tools/list")).toBe(losses + 1);
    });

    it("is not sent again after the fourth loss", async () => {
      const { server, connection } = await lossy(Infinity);
      expect(expectFailure(await connection.request(list, ctx)).code).toBe("CONNECTION_LOST");
      expect(server.count("tools/list")).toBe(4);
    });

    it("is not sent again after its timeout or cancellation", async () => {
      const { server, connection } = await lossy(Infinity);
      expect(expectFailure(await connection.request(list, { ...ctx, maxMs: 5 })).code).toMatch(
        /CONNECTION_LOST|REQUEST_TIMEOUT/,
      );
      const abort = new AbortController();
      const given = connection.request(list, { ...ctx, signal: abort.signal });
      await vi.waitFor(() => expect(server.count("tools/list")).toBe(2), { interval: 1 });
      abort.abort();
      expect(expectFailure(await given).code).toBe("CANCELLED");
    });

    it("keeps its deadline when it is sent again", async () => {
      let lists = 0;
      const server = await startRestartableHttp({
        "tools/list": (_, response) => {
          if (++lists === 1) return { tools: [] };
          if (lists === 2) response.destroy();
          return "taken";
        },
      });
      const { connection } = makeConnection({ url: server.url }, { limits: { ...FAST, firstRetryMs: 200 } });
      const late = expectFailure(await connection.request(list, { ...ctx, maxMs: 1000 }));
      expect(late).toMatchObject({ code: "REQUEST_TIMEOUT", details: { method: "tools/list" } });
      expect((late.details as { afterMs: number }).afterMs).toBeLessThanOrEqual(900);
    });

    it("fails at once when the connection is closed", async () => {
      const hours = { firstRetryMs: 3_600_000, maxRetryMs: 3_600_000, healthRetryMs: 20 };
      const { server, connection } = await lossy(Infinity, {}, hours);
      const waiting = connection.request(list, { ...ctx, maxMs: 36_000_000 });
      await vi.waitFor(() => expect(server.count("ping")).toBe(1));
      await connection.stop();
      expect(expectFailure(await waiting).code).toBe("CONNECTION_CLOSED");
    });

    it("is not sent again if retries are disabled", async () => {
      const { server, connection } = await lossy(1, { retry: "never" });
      expect(expectFailure(await connection.request(list, ctx)).code).toBe("CONNECTION_LOST");
      expect(server.count("tools/list")).toBe(1);
    });

    it("is never sent again if it is a tool call", async () => {
      const { server, connection } = await lossy(1);
      expect(expectFailure(await connection.request(echo, ctx)).code).toBe("CONNECTION_LOST");
      expect(await connection.request(list, ctx)).toMatchObject({ type: "complete" });
      expect(server.count("tools/call echo")).toBe(1);
    });
  });

  describe("overloaded server", () => {
    /** Rejects the given number of requests, beginning with the first of the test. A date counts from the rejection. */
    async function overloaded(status: number, retryAfter: () => string | undefined, refusals = 1) {
      let refused = 0;
      const refuse = (answer: JsonObject) => () => {
        if (connection.state.phase === "connecting" || refused++ >= refusals) return answer;
        const value = retryAfter();
        return { status, headers: { ...(value !== undefined && { "retry-after": value }) } };
      };
      const server = await startRestartableHttp({
        "tools/list": refuse({ tools: [] }),
        "tools/call": refuse({ content: [] }),
      });
      const { connection } = makeConnection({ url: server.url }, { limits: FAST });
      await connection.ready();
      server.methods.length = 0;
      const began = Date.now();
      return { server, connection, waited: () => Date.now() - began };
    }

    it.each([
      ["one second", 503, () => "1"],
      ["one second", 429, () => "1"],
      ["a date", 503, () => new Date(Date.now() + 2000).toUTCString()],
    ])(
      "gets a listing again after its Retry-After of %s with status %i",
      { meta: { covers: ["F24"] } },
      async (_, status, retryAfter) => {
        const { server, connection, waited } = await overloaded(status, retryAfter);
        const timing = { retryMs: 0 };
        expect(await connection.request(list, { ...ctx, timing })).toMatchObject({ type: "complete" });
        expect(server.count("tools/list")).toBe(2);
        expect(waited()).toBeGreaterThan(900);
        expect(timing.retryMs).toBeGreaterThan(900);
        expect(timing.retryMs).toBeLessThanOrEqual(waited() + 1);
        expect(connection.state).toMatchObject({ phase: "ready", restarts: 0 });
      },
    );

    it.each([
      ["sends no Retry-After", undefined],
      ["sends a negative Retry-After", "-5"],
      ["sends a Retry-After in the past", "Wed, 21 Oct 2015 07:28:00 GMT"],
      ["sends an invalid Retry-After", "soon"],
    ])("gets a listing again after our backoff if it %s", { meta: { covers: ["F24"] } }, async (_, retryAfter) => {
      const { server, connection, waited } = await overloaded(503, () => retryAfter, 3);
      expect(await connection.request(list, ctx)).toMatchObject({ type: "complete" });
      expect(server.count("tools/list")).toBe(4);
      // The pauses are at least 10, 20 and 40 ms.
      expect(waited()).toBeGreaterThanOrEqual(70);
    });

    it("makes the request fail if its Retry-After is too long", { meta: { covers: ["F24"] } }, async () => {
      const { server, connection } = await overloaded(503, () => "86400");
      const patient = { ...ctx, maxMs: 200_000_000 };
      expect(expectFailure(await connection.request(list, patient))).toMatchObject({
        code: "SERVER_OVERLOADED",
        details: { status: 503, retryAfterMs: 86_400_000 },
      });
      expect(server.count("tools/list")).toBe(1);
    });

    it("gets the same listing at most four times", { meta: { covers: ["F24"] } }, async () => {
      const { server, connection } = await overloaded(503, () => undefined, Infinity);
      expect(expectFailure(await connection.request(list, ctx)).code).toBe("SERVER_OVERLOADED");
      expect(server.count("tools/list")).toBe(4);
    });

    it("never gets a tool call again", { meta: { covers: ["F24"] } }, async () => {
      const { server, connection } = await overloaded(503, () => "0");
      expect(expectFailure(await connection.request(echo, ctx)).code).toBe("SERVER_OVERLOADED");
      expect(await connection.request(list, ctx)).toMatchObject({ type: "complete" });
      expect(server.count("tools/call echo")).toBe(1);
      expect(connection.state).toMatchObject({ phase: "ready", restarts: 0 });
    });

    it("delays the next connection attempt by its Retry-After", async () => {
      let refused = 0;
      const server = await startRestartableHttp({
        initialize: () =>
          refused++ === 0
            ? { status: 503, headers: { "retry-after": "1" } }
            : { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x", version: "1" } },
      });
      const { connection } = makeConnection({ url: server.url }, { limits: { ...FAST, maxRetryMs: 5000 } });
      const began = Date.now();
      await expect(connection.ready()).rejects.toMatchObject({ code: "SERVER_OVERLOADED" });
      await connection.ready();
      expect(Date.now() - began).toBeGreaterThan(900);
    });
  });
});
