/** Tests the modern client with the official server package, over both transports. */
import { modernStdio, startModernHttp } from "@plugboard/testkit/start-server";
import type { RunningServer } from "@plugboard/testkit/start-server";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { expectSuspended, call, connect, expectFailure, expectText } from "../../helpers/connect.ts";
import type { TestConnection } from "../../helpers/connect.ts";

let http: RunningServer;
beforeAll(async () => void (http = await startModernHttp()));
afterAll(() => http.close());

describe.each(["stdio", "http"] as const)("modern session over %s", (transport) => {
  let open: TestConnection;
  beforeAll(async () => {
    open = await connect(transport === "stdio" ? modernStdio() : { url: http.url }, { atEnd: afterAll });
  });

  it("is detected as modern", async () => {
    const { session, knownEra, connection } = open;
    expect(session).toMatchObject({ era: "modern", version: "2026-07-28", serverInfo: { name: "modern-fixture" } });
    expect(knownEra()).toBe("modern");
    expect(connection.catalog.tools.map(({ name }) => name)).toContain("ask_name");
  });

  it("suspends on input_required and continues with the answers", async () => {
    const { session } = open;
    const suspended = expectSuspended(await call(session, "ask_name"));
    expect(suspended.asks).toMatchObject({
      who: {
        elicitation: {
          mode: "form",
          fields: [
            { name: "name", required: true },
            { name: "likes", type: "choice" },
          ],
        },
      },
    });
    const answer = { action: "accept", content: { name: "Ann", likes: "tea" } } as const;
    expect(expectText(await suspended.resume({ who: answer }, {}))).toBe("hello Ann, tea");
  });

  it.each([
    ["decline", "declined"],
    ["cancel", "cancelled"],
  ] as const)("passes the answer %s to the server", async (action, said) => {
    const { session } = open;
    expect(expectText(await expectSuspended(await call(session, "ask_name")).resume({ who: { action } }, {}))).toBe(
      said,
    );
  });

  it("sends requestState back unchanged in each round", { meta: { covers: ["S21"] } }, async () => {
    const { session } = open;
    const first = expectSuspended(await call(session, "ask_twice"));
    expect(first.portable?.requestState).toContain("🔌");
    const second = expectSuspended(await first.resume({ first: { action: "accept", content: { first: "a/b" } } }, {}));
    const end = await second.resume({ second: { action: "accept", content: { second: "c" } } }, {});
    expect(expectText(end)).toBe("a/b c (requestState intact)");
  });

  it("asks two questions in one round", async () => {
    const { session } = open;
    const suspended = expectSuspended(await call(session, "ask_two_at_once"));
    const answers = {
      left: { action: "accept", content: { left: "L" } },
      right: { action: "accept", content: { right: "R" } },
    } as const;
    expect(expectText(await suspended.resume(answers, {}))).toBe("left: L, right: R");
  });

  it("fails if the server asks more than ten times", { meta: { covers: ["S21"] } }, async () => {
    const { session } = open;
    let outcome = await call(session, "ask_forever");
    let rounds = 0;
    while (outcome.type === "asks") {
      rounds += 1;
      outcome = await outcome.resume({ again: { action: "accept", content: { again: "x" } } }, {});
    }
    expect(rounds).toBe(10);
    expect(expectFailure(outcome)).toMatchObject({ code: "TOO_MANY_ROUNDS" });
  });

  it("does not declare elicitation if the caller cannot be asked", async () => {
    const { session } = open;
    expect(expectFailure(await call(session, "ask_name", {}, { elicitation: false }))).toMatchObject({
      code: "TOOL_EXECUTION_FAILED",
    });
  });

  it("passes progress to the caller", async () => {
    const { session } = open;
    const seen: number[] = [];
    await call(session, "slow", { ms: 30, steps: 3 }, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
  });

  it("cancels a call at the server in the way that its transport defines", async () => {
    const { session, waitForStderr } = open;
    const abort = new AbortController();
    const slow = call(
      session,
      "slow",
      { ms: 60_000, steps: 600 },
      { signal: abort.signal, onProgress: () => abort.abort() },
    );
    expect(expectFailure(await slow).code).toBe("CANCELLED");
    if (transport === "stdio") await waitForStderr("slow aborted");
    else await http.waitForStderr("slow aborted");
    expect(expectText(await call(session, "echo", { text: "still here" }))).toBe("still here");
  });

  it(
    "distinguishes an error result from an error response",
    { meta: { covers: ["R0.68", "R1.68", "R3.37"] } },
    async () => {
      const { session } = open;
      expect(await call(session, "fail")).toMatchObject({ type: "complete", result: { isError: true } });
      const refusal = expectFailure(await call(session, "throw"));
      expect(refusal).toMatchObject({ code: "TOOL_EXECUTION_FAILED", details: { tool: "throw" } });
      expect(refusal.peer?.code).toBeTypeOf("number");
    },
  );

  it("answers a ping", async () => {
    const { session } = open;
    await expect(session.ping(AbortSignal.timeout(5000))).resolves.toBeUndefined();
  });
});

it("a modern session fails every call in flight when the server exits", async () => {
  const server = await startModernHttp();
  const { session } = await connect({ url: server.url });
  const progressed = vi.fn();
  const slow = call(session, "slow", { ms: 60_000, steps: 600 }, { onProgress: progressed });
  await vi.waitFor(() => expect(progressed).toHaveBeenCalled());
  await server.close();
  expect(expectFailure(await slow)).toMatchObject({ code: "CONNECTION_LOST" });
});
