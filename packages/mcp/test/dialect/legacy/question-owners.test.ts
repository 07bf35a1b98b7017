import { ownersAmong } from "#dialect/legacy/question-owners.js";
import type { CallInFlight, Op } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";
import { ann, bob } from "../../helpers/connect.ts";

const tool: Op = { method: "tools/call", params: { name: "t", arguments: {} } };
const taskResult: Op = { method: "tasks/result", params: { taskId: "1" } };
const inFlight = (caller: CallInFlight["caller"], op: Op): CallInFlight => ({
  caller,
  op,
  active: true,
  mayAsk: false,
  client: undefined,
});

describe("ownersAmong", () => {
  it("returns the call of a caller that also waits for the result of a task", () => {
    const call = inFlight(ann, tool);
    expect(ownersAmong([inFlight(ann, taskResult), call])).toEqual([call]);
  });

  it("returns nothing while another caller has a task, because the question may come from the task", () => {
    expect(ownersAmong([inFlight(bob, taskResult), inFlight(ann, tool)])).toBeUndefined();
  });

  it("returns the request for the result of a task if there is nothing else", () => {
    const waiting = inFlight(bob, taskResult);
    expect(ownersAmong([waiting])).toEqual([waiting]);
  });

  it("returns nothing for calls of several callers", () => {
    expect(ownersAmong([inFlight(ann, tool), inFlight(bob, tool)])).toBeUndefined();
  });
});
