/** Tests after which failures a request to a model is retried, and after which delay. */
import { runTurn } from "@plugboard/agent";
import { freePort } from "@plugboard/testkit/free-port";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { collect, InstantClock, modelAt, NO_TOOLS, PROVIDERS, scriptedServer } from "../helpers/scripted-turn.ts";

const answer = { parts: [{ text: "Hi" }] };

describe.each(PROVIDERS)("a request to %s", (provider) => {
  it.each([
    [{ status: 429, headers: { "retry-after": "7" } }, 7000],
    [{ status: 429, headers: { "retry-after-ms": "250" } }, 250],
    [{ status: 429, headers: { "retry-after": "Thu, 01 Jan 2026 00:00:20 GMT" } }, 20_000],
    [{ status: 529, type: "overloaded_error" }, 1000],
    [{ status: 500 }, 1000],
    [{ status: 503 }, 1000],
  ])("is retried after %j", async (failure, delayMs) => {
    const server = await scriptedServer(failure, answer);
    const clock = new InstantClock();
    const model = await modelAt(server, provider, { clock });
    const turn = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "Hi" }));
    expect(turn.finished.reason).toBe("done");
    expect(clock.delays).toEqual([delayMs]);
    expect(turn.ofType("step.retried")).toMatchObject([{ attempt: 1, delayMs }]);
  });

  it("fails after six attempts with growing delays", async () => {
    const overloaded = { status: 529, type: "overloaded_error", message: "Overloaded" };
    const server = await scriptedServer(...Array.from({ length: 6 }, () => overloaded), answer);
    const clock = new InstantClock();
    const model = await modelAt(server, provider, { clock });
    const { finished } = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "Hi" }));
    expect(clock.delays).toEqual([1000, 2000, 4000, 8000, 16_000]);
    expect(finished).toMatchObject({
      reason: "failed",
      error: { code: "MODEL_UNAVAILABLE", details: { status: 529 } },
    });
    expect(finished.error?.message).toContain("Overloaded");
  });

  it.each([
    { status: 400, type: "invalid_request_error", message: "bad request" },
    { status: 401, type: "authentication_error", message: "invalid key" },
    { status: 429, type: "insufficient_quota", message: "no credit" },
  ])("is not retried after $status $type", async (failure) => {
    const server = await scriptedServer(failure, answer);
    const model = await modelAt(server, provider);
    const { finished } = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "Hi" }));
    expect(finished).toMatchObject({
      reason: "failed",
      error: { code: "MODEL_FAILED", details: { status: failure.status } },
    });
    expect(finished.error?.message).toContain(failure.message);
    expect(server.requests).toHaveLength(1);
  });
});

describe("a request to a model", () => {
  it("fails at once if the provider asks for a delay of more than a minute", async () => {
    const server = await scriptedServer({ status: 429, headers: { "retry-after": "3600" } });
    const model = await modelAt(server);
    const { finished } = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "Hi" }));
    expect(finished.error).toMatchObject({ code: "MODEL_UNAVAILABLE", details: { retryAfterMs: 3_600_000 } });
    expect(finished.error?.message).toContain("retry after 3600000 ms");
  });

  it("waits for the whole delay, unless the turn is cancelled", async () => {
    const server = await scriptedServer({ status: 529 }, { status: 529 }, answer);
    const clock = new ManualClock();
    const cancel = new AbortController();
    const model = await modelAt(server, "anthropic", { clock });
    const turn = runTurn({ model, tools: NO_TOOLS, prompt: "Hi", signal: cancel.signal });
    const { finished, ofType } = await collect(turn, ({ type }) => {
      // The delay begins when the iteration continues.
      if (type !== "step.retried") return;
      if (server.requests.length === 1) setImmediate(() => clock.advance(1000));
      else setImmediate(() => cancel.abort());
    });
    expect(finished.reason).toBe("cancelled");
    expect(ofType("step.retried").map(({ delayMs }) => delayMs)).toEqual([1000, 2000]);
    expect(server.requests).toHaveLength(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it("fails as unreachable after two retries if nothing listens at the URL", async () => {
    const clock = new InstantClock();
    const closed = { url: `http://127.0.0.1:${await freePort()}/v1`, requests: [], close: async () => {} };
    const model = await modelAt(closed, "anthropic", { clock });
    const { finished } = await collect(runTurn({ model, tools: NO_TOOLS, prompt: "Hi" }));
    expect(clock.delays).toEqual([1000, 2000]);
    expect(finished.error).toMatchObject({ code: "MODEL_UNAVAILABLE", details: { unreachable: true } });
    expect(finished.error?.message).toContain("ECONNREFUSED");
  });

  it("follows no redirect, because its target would get the key", async () => {
    const other = await scriptedServer(answer);
    const location = `${other.url}/messages`;
    const server = await scriptedServer(...Array.from({ length: 6 }, () => ({ status: 307, headers: { location } })));
    const { finished } = await collect(runTurn({ model: await modelAt(server), tools: NO_TOOLS, prompt: "Hi" }));
    expect(finished.reason).toBe("failed");
    expect(other.requests).toHaveLength(0);
  });
});
