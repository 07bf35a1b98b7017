/** Tests a queued call: its permission is checked again when the call's turn comes. */
import { CallerQueue } from "#calls/caller-queue.js";
import { callTool } from "#calls/run-call.js";
import { Policy } from "#policy/policy.js";
import type { Caller, PermissionQuestion, Tool } from "@plugboard/contracts";
import type { CallContext, Connection, Op, Outcome } from "@plugboard/mcp";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { makeCallPorts, makeResolvedCall } from "../helpers/make-calls.ts";

const before: Tool = { name: "send", description: "Sends it to you", inputSchema: { type: "object" } };
const after: Tool = { ...before, description: "Sends it to everybody" };
const stricter: Tool = {
  ...before,
  inputSchema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
};
const ann: Caller = { kind: "front", id: "ann" };
const bob: Caller = { kind: "front", id: "bob" };
const done: Outcome = { type: "complete", result: { content: [] } };

const until = (value: () => unknown) => expect.poll(value, { timeout: 10_000 });

/** Starts a server that handles one call at a time. Ann's call runs, and Bob's permitted call is queued behind it. */
async function bobWaits() {
  let [queueChecks, tool] = [0, before];
  const sent: string[] = [];
  const ends: (() => void)[] = [];
  const connection = {
    state: { phase: "ready" },
    get turns() {
      queueChecks++;
      return "always";
    },
    request: (_: Op, { caller, onSettled }: CallContext) => {
      sent.push(caller?.id ?? "");
      return new Promise<Outcome>((resolve) => ends.push(() => (onSettled?.(), resolve(done))));
    },
  } as unknown as Connection;
  const ports = makeCallPorts({ queue: new CallerQueue(new ManualClock()) });
  const { inbox } = ports;
  const policy = new Policy([]);
  const begin = (caller: Caller) => {
    const called = { definition: () => tool, policy: () => policy };
    const call = makeResolvedCall({ server: "s", tool: "send" }, {}, caller, called, { connection });
    return callTool(call, ports);
  };
  const answer = async (caller: Caller, decision: "once" | "no") => {
    await until(() => inbox.list(caller)).toHaveLength(1);
    inbox.answer(inbox.list(caller)[0]!.id, { type: "permission", decision }, caller);
  };
  const anns = begin(ann);
  await answer(ann, "once");
  await until(() => sent).toEqual(["ann"]);
  const bobs = begin(bob);
  bobs.catch(() => {});
  await answer(bob, "once");
  await until(() => queueChecks).toBeGreaterThanOrEqual(2);
  return {
    sent,
    bobs,
    bobSays: (decision: "once" | "no") => answer(bob, decision),
    asked: () => inbox.list(bob) as PermissionQuestion[],
    bobsTurnComes: async (changed: Tool) => {
      tool = changed;
      ends[0]!();
      await anns;
    },
  };
}

describe("tool that changes while its call is queued", { meta: { covers: ["A5"] } }, () => {
  it("needs a new permission, and is not called if the user denies it", async () => {
    const { sent, bobs, bobSays, bobsTurnComes, asked } = await bobWaits();
    await bobsTurnComes(after);
    await until(asked).toMatchObject([{ description: "Sends it to everybody" }]);
    await bobSays("no");
    await expect(bobs).rejects.toMatchObject({ code: "TOOL_DENIED" });
    expect(sent).toEqual(["ann"]);
  });

  it("has its arguments checked again, before the user is asked", async () => {
    const { sent, bobs, bobsTurnComes, asked } = await bobWaits();
    await bobsTurnComes(stricter);
    await expect(bobs).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    expect(asked()).toEqual([]);
    expect(sent).toEqual(["ann"]);
  });

  it("is called without another question if a new listing has the same definition", async () => {
    const { sent, bobsTurnComes, asked } = await bobWaits();
    await bobsTurnComes(structuredClone(before));
    await until(() => sent).toEqual(["ann", "bob"]);
    expect(asked()).toEqual([]);
  });
});
