import { isRetryable, retryDelayMs } from "#connection/retry-policy.js";
import { HostError } from "@plugboard/contracts";
import type { Op } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";

const server = "s";
const resumed = { answers: {}, round: 1 };

describe("a request that changes nothing", () => {
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
  ])("%j: %s", (op, safe) => {
    expect(isRetryable(op, {})).toBe(safe);
  });

  const call = { method: "tools/call", params: { name: "t", arguments: {} } } as const;
  it.each<[string, Op, boolean]>([
    ["a call that whoever makes it says may be", call, true],
    ["but not once a question of it was answered", { ...call, params: { ...call.params, resumed } }, false],
  ])("%s", (_, op, safe) => {
    expect(isRetryable(op, { retryable: true })).toBe(safe);
  });
});

describe("is sent again", () => {
  const unreachable = new HostError("SERVER_UNREACHABLE", { server, reason: "gone" });
  const lost = new HostError("CONNECTION_LOST", { server, reason: "gone" });
  const busy = (retryAfterMs?: number) =>
    new HostError("SERVER_OVERLOADED", { server, status: 503, ...(retryAfterMs !== undefined && { retryAfterMs }) });
  const plenty = { tries: 1, leftMs: 600_000, random: 0 };

  it.each<[string, HostError, Partial<typeof plenty>, number | undefined]>([
    ["one that was not reached", unreachable, {}, 1000],
    ["one that was lost", lost, {}, 1000],
    ["later each time", lost, { tries: 3 }, 4000],
    ["not at the same moment as the others", lost, { random: 1 }, 500],
    ["no fifth time", lost, { tries: 4 }, undefined],
    ["not after its time is over", lost, { leftMs: 1000 }, undefined],
    ["when it is told to", busy(2000), {}, 2000],
    ["when it is told to, at most half a minute later", busy(30_000), {}, 30_000],
    ["not a day later", busy(86_400_000), {}, undefined],
    ["not when it would be too late", busy(20_000), { leftMs: 15_000 }, undefined],
    ["after our own pause when no time is named", busy(), {}, 1000],
    ["after our own pause when the time has passed", busy(-5000), {}, 1000],
    ["after our own pause when the time is now", busy(0), {}, 1000],
    ["not to a server that crashed of it", new HostError("SERVER_CRASHED", { server, exit: "1" }), {}, undefined],
    [
      "not one that took too long",
      new HostError("REQUEST_TIMEOUT", { server, method: "m", afterMs: 1 }),
      {},
      undefined,
    ],
    [
      "not one that was refused",
      new HostError("REQUEST_FAILED", { server, method: "m", code: 1, message: "" }),
      {},
      undefined,
    ],
    ["not without a login", new HostError("AUTH_REQUIRED", { server }), {}, undefined],
    ["not one that was given up", new HostError("CANCELLED", { reason: "" }), {}, undefined],
  ])("%s", { meta: { covers: ["R0.75", "R0.74"] } }, (_, error, tried, waitMs) => {
    expect(retryDelayMs(error, { ...plenty, ...tried })).toBe(waitMs);
  });
});
