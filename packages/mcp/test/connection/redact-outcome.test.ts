import { redactOutcome } from "#connection/redact-outcome.js";
import { HostError } from "@plugboard/contracts";
import type { Outcome } from "@plugboard/mcp";
import { describe, expect, it, vi } from "vitest";

const redactor = {
  text: (said: string) => said.replaceAll("secret", "***"),
  error: ({ code, details }: HostError) =>
    new HostError(code, JSON.parse(redactor.text(JSON.stringify(details))) as typeof details),
};

const failure: Outcome = { type: "failed", error: new HostError("CONNECTION_LOST", { server: "s", reason: "secret" }) };
const redactedFailure = { type: "failed", error: { details: { server: "s", reason: "***" } } };

describe("redactOutcome", () => {
  it("redacts the error of a failure, and does not change a result", () => {
    const answer: Outcome = { type: "complete", result: { text: "secret" } };
    expect(redactOutcome(answer, redactor)).toBe(answer);
    expect(redactOutcome(failure, redactor)).toMatchObject(redactedFailure);
  });

  it("redacts the outcome of a resumed call", async () => {
    const resume = vi.fn(() => Promise.resolve(failure));
    const abandon = vi.fn();
    const { signal: obsolete } = new AbortController();
    const asks: Outcome = { type: "asks", asks: {}, portable: { round: 1 }, obsolete, resume, abandon };
    const redacted = redactOutcome(asks, redactor);
    if (redacted.type !== "asks") throw new Error("it asks no more");
    expect(redacted).toMatchObject({ asks: {}, portable: { round: 1 }, obsolete });
    expect(await redacted.resume({}, {})).toMatchObject(redactedFailure);
    redacted.abandon("no");
    expect(resume).toHaveBeenCalledWith({}, {});
    expect(abandon).toHaveBeenCalledWith("no");
  });

  it("redacts the outcome of a task", async () => {
    const cancel = vi.fn(() => Promise.resolve());
    const task: Outcome = { type: "task", task: { taskId: "t" }, follow: () => Promise.resolve(failure), cancel };
    const redacted = redactOutcome(task, redactor);
    if (redacted.type !== "task") throw new Error("it is no task any more");
    expect(redacted.task).toEqual({ taskId: "t" });
    expect(await redacted.follow({})).toMatchObject(redactedFailure);
    await redacted.cancel();
    expect(cancel).toHaveBeenCalledOnce();
  });
});
