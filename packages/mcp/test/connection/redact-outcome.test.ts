import { redactOutcome } from "#connection/redact-outcome.js";
import { HostError } from "@plugboard/contracts";
import type { Outcome } from "@plugboard/mcp";
import { describe, expect, it, vi } from "vitest";

const conceal = {
  text: (said: string) => said.replaceAll("secret", "***"),
  error: ({ code, details }: HostError) =>
    new HostError(code, JSON.parse(conceal.text(JSON.stringify(details))) as typeof details),
};

const failure: Outcome = { type: "failed", error: new HostError("CONNECTION_LOST", { server: "s", reason: "secret" }) };
const concealed = { type: "failed", error: { details: { server: "s", reason: "***" } } };

describe("redactOutcome", () => {
  it("redacts the error of a failure, and does not change a result", () => {
    const answer: Outcome = { type: "complete", result: { text: "secret" } };
    expect(redactOutcome(answer, conceal)).toBe(answer);
    expect(redactOutcome(failure, conceal)).toMatchObject(concealed);
  });

  it("redacts the outcome of a resumed call", async () => {
    const resume = vi.fn(() => Promise.resolve(failure));
    const abandon = vi.fn();
    const { signal: obsolete } = new AbortController();
    const asks: Outcome = { type: "asks", asks: {}, portable: { round: 1 }, obsolete, resume, abandon };
    const kept = redactOutcome(asks, conceal);
    if (kept.type !== "asks") throw new Error("it asks no more");
    expect(kept).toMatchObject({ asks: {}, portable: { round: 1 }, obsolete });
    expect(await kept.resume({}, {})).toMatchObject(concealed);
    kept.abandon("no");
    expect(resume).toHaveBeenCalledWith({}, {});
    expect(abandon).toHaveBeenCalledWith("no");
  });

  it("redacts the outcome of a task", async () => {
    const cancel = vi.fn(() => Promise.resolve());
    const task: Outcome = { type: "task", task: { taskId: "t" }, follow: () => Promise.resolve(failure), cancel };
    const kept = redactOutcome(task, conceal);
    if (kept.type !== "task") throw new Error("it is no task any more");
    expect(kept.task).toEqual({ taskId: "t" });
    expect(await kept.follow({})).toMatchObject(concealed);
    await kept.cancel();
    expect(cancel).toHaveBeenCalledOnce();
  });
});
