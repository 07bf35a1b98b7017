import { isRetryable, retryDelayMs } from "#connection/request-sender.js";
import { HostError } from "@plugboard/contracts";
import type { Op } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";

const server = "s";
const resumed = { answers: {}, round: 1 };

describe("isRetryable", () => {
  it.each<[Op, boolean]>([
    [{ method: "tools/list", params: {} }, true],
    [{ method: "tools/list", params: { cursor: "2" } }, true],
    [{ method: "resources/list", params: {} }, true],
    [{ method: "resources/templates/list", params: {} }, true],
    [{ method: "resources/read", params: { uri: "a:b" } }, true],
    [{ method: "prompts/list", params: {} }, true],
    [{ method: "prompts/get", params: { name: "p" } }, true],
    [
      {
        method: "completion/complete",
        params: { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
      },
      true,
    ],
    [{ method: "tasks/get", params: { taskId: "t" } }, true],
    [{ method: "tools/call", params: { name: "t", arguments: {} } }, false],
    [{ method: "tools/call", params: { name: "t", arguments: {}, resumed } }, false],
    [{ method: "tasks/update", params: { taskId: "t", inputResponses: {} } }, false],
    [{ method: "tasks/cancel", params: { taskId: "t" } }, false],
    [{ method: "resources/read", params: { uri: "a:b", resumed } }, false],
    [{ method: "prompts/get", params: { name: "p", resumed } }, false],
  ])("for %j returns %s", (op, safe) => {
    expect(isRetryable(op, {})).toBe(safe);
  });

  const call = { method: "tools/call", params: { name: "t", arguments: {} } } as const;
  it.each<[string, Op, boolean]>([
    ["accepts a tool call if its caller says so", call, true],
    ["rejects a tool call that was resumed", { ...call, params: { ...call.params, resumed } }, false],
  ])("%s", (_, op, safe) => {
    expect(isRetryable(op, { retryable: true })).toBe(safe);
  });
});

describe("retryDelayMs", () => {
  const unreachable = new HostError("SERVER_UNREACHABLE", { server, reason: "gone" });
  const lost = new HostError("CONNECTION_LOST", { server, reason: "gone" });
  const busy = (retryAfterMs?: number) =>
    new HostError("SERVER_OVERLOADED", { server, status: 503, ...(retryAfterMs !== undefined && { retryAfterMs }) });
  const plenty = { tries: 1, leftMs: 600_000, random: 0 };

  it.each<[string, HostError, Partial<typeof plenty>, number | undefined]>([
    ["retries if the server was not reached", unreachable, {}, 1000],
    ["retries if the response was lost", lost, {}, 1000],
    ["pauses longer after each try", lost, { tries: 3 }, 4000],
    ["spreads retries by a random value", lost, { random: 1 }, 500],
    ["does not retry after four tries", lost, { tries: 4 }, undefined],
    ["does not retry after the timeout", lost, { leftMs: 1000 }, undefined],
    ["pauses for the server's Retry-After", busy(2000), {}, 2000],
    ["accepts a Retry-After of up to 30 seconds", busy(30_000), {}, 30_000],
    ["does not retry if Retry-After is a day", busy(86_400_000), {}, undefined],
    ["does not retry if Retry-After exceeds the timeout", busy(20_000), { leftMs: 15_000 }, undefined],
    ["uses the backoff without a Retry-After", busy(), {}, 1000],
    ["uses the backoff if Retry-After is in the past", busy(-5000), {}, 1000],
    ["uses the backoff if Retry-After is zero", busy(0), {}, 1000],
    ["does not retry after a crash", new HostError("SERVER_CRASHED", { server, exit: "1" }), {}, undefined],
    [
      "does not retry after a request timeout",
      new HostError("REQUEST_TIMEOUT", { server, method: "m", afterMs: 1 }),
      {},
      undefined,
    ],
    [
      "does not retry after an error response",
      new HostError("REQUEST_FAILED", { server, method: "m", code: 1, message: "" }),
      {},
      undefined,
    ],
    ["does not retry if a login is required", new HostError("AUTH_REQUIRED", { server }), {}, undefined],
    ["does not retry after a cancellation", new HostError("CANCELLED", { reason: "" }), {}, undefined],
  ])("%s", { meta: { covers: ["R0.75", "R0.74"] } }, (_, error, tried, waitMs) => {
    expect(retryDelayMs(error, { ...plenty, ...tried })).toBe(waitMs);
  });
});
