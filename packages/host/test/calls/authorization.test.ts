/** Tests when a call is authorized: before the server is connected, and once per definition of the tool. */
import type { Call } from "#calls/call.js";
import { callSubject } from "#calls/call-subject.js";
import { callTool } from "#calls/run-call.js";
import { Policy } from "#policy/policy.js";
import { parseRule } from "@plugboard/config";
import type { Caller, Tool } from "@plugboard/contracts";
import type { Connection, Outcome, Resumed } from "@plugboard/mcp";
import { describe, expect, it, vi } from "vitest";
import { makeCallPorts, makeResolvedCall } from "../helpers/make-calls.ts";

const send: Tool = { name: "send", description: "Sends it to you", inputSchema: { type: "object" } };
const changed: Tool = { ...send, description: "Sends it to everybody" };

const ANN: Caller = { kind: "chat", id: "ann" };

/** Returns the `subject` that binds a call to this definition of the tool. */
function subjectOf(definition: Tool): string {
  const tool = { definition: () => definition, policy: () => new Policy([]) };
  const call = makeResolvedCall({ server: "s", tool: "send" }, {}, ANN, tool);
  return callSubject(Object.assign(call, { server: "s", tool: "send", definition }));
}

/** Sets up a tool whose definition is `before` until its server is connected, and then `after`. */
function setup(before: Tool | undefined, after: Tool, ...rules: ["allow" | "deny", string][]) {
  const state = { phase: "idle" };
  const ready = vi.fn(async () => void (state.phase = "ready"));
  const request = vi.fn(async (): Promise<Outcome> => ({ type: "complete", result: { content: [] } }));
  const connection = { state, ready, request, turns: "never" } as unknown as Connection;
  const ports = makeCallPorts();
  const policy = new Policy(rules.map(([effect, text]) => parseRule(effect, text)!));
  const decisions = vi.spyOn(policy, "rulesFor");
  const definition = () => (state.phase === "ready" ? after : before);
  let last: Call | undefined;
  const run = (resumed?: Resumed) => {
    const tool = { definition, policy: () => policy };
    const call = makeResolvedCall({ server: "s", tool: "send" }, { to: "ann" }, ANN, tool, { connection, resumed });
    last = call;
    return callTool(call, ports);
  };
  const checks = vi.spyOn(ports.checks, "arguments");
  const switchOff = () => {
    last!.scope.find = () => ({ server: "s", tool: "send", definition: definition()!, disabled: "tool_disabled" });
  };
  const answer = async () => {
    await expect.poll(() => ports.inbox.list(ANN)).toHaveLength(1);
    ports.inbox.answer(ports.inbox.list(ANN)[0]!.id, { type: "permission", decision: "once" }, ANN);
  };
  return { run, ready, request, decisions, checks, answer, switchOff };
}

describe("authorization of a call", () => {
  it.each<[string, Tool | undefined]>([
    ["a listed tool", send],
    ["a tool that is not listed yet", undefined],
  ])("denies %s before its server is connected", async (_, listed) => {
    const { run, ready, request } = setup(listed, send, ["deny", "s:send(to=ann)"]);
    await expect(run()).rejects.toMatchObject({ code: "TOOL_DENIED" });
    expect(ready).not.toHaveBeenCalled();
    expect(request).not.toHaveBeenCalled();
  });

  it.each<[string, Resumed]>([
    ["begins with answers to questions", { answers: {}, round: 0 }],
    ["continues an earlier request", { answers: {}, round: 1, call: "id", subject: subjectOf(send) }],
  ])("denies a call that %s if a rule denies it now", async (_, resumed) => {
    const { run, request } = setup(send, send, ["deny", "s:send"]);
    await expect(run(resumed)).rejects.toMatchObject({ code: "TOOL_DENIED" });
    expect(request).not.toHaveBeenCalled();
  });

  it("asks nobody about a call that continues with the same definition of its tool", async () => {
    const { run, request } = setup(undefined, structuredClone(send));
    await run({ answers: {}, round: 1, call: "id", subject: subjectOf(send) });
    expect(request).toHaveBeenCalledTimes(1);
  });

  it.each<[string, string | undefined]>([
    ["with another definition of its tool", subjectOf(send)],
    ["without a record of its tool", undefined],
  ])("refuses a call that continues %s", async (_, subject) => {
    const { run, request } = setup(undefined, changed, ["allow", "s:*"]);
    const continued = run({ answers: {}, round: 1, call: "id", ...(subject !== undefined && { subject }) });
    await expect(continued).rejects.toMatchObject({ code: "STATE_REFUSED" });
    expect(request).not.toHaveBeenCalled();
  });

  it.each<[string, Tool | undefined, Tool, number]>([
    ["once if the definition stays the same", send, structuredClone(send), 1],
    ["again if the definition changed with the connection", send, changed, 2],
    ["again if the tool was not listed before", undefined, send, 2],
  ])("evaluates the rules %s", async (_, before, after, times) => {
    const { run, request, decisions } = setup(before, after, ["allow", "s:*"]);
    await run();
    expect(request).toHaveBeenCalledTimes(1);
    expect(decisions).toHaveBeenCalledTimes(times);
  });

  it("checks the arguments only once, even if a person is asked in between", async () => {
    const { run, request, checks, answer } = setup(send, structuredClone(send));
    const running = run();
    await answer();
    await running;
    expect(request).toHaveBeenCalledTimes(1);
    expect(checks).toHaveBeenCalledTimes(1);
  });

  it("does not call a tool that was disabled while its question was open", async () => {
    const { run, request, answer, switchOff } = setup(send, send);
    const running = run();
    const failure = expect(running).rejects.toMatchObject({ code: "TOOL_OFF" });
    switchOff();
    await answer();
    await failure;
    expect(request).not.toHaveBeenCalled();
  });

  it("evaluates the rules again for a changed definition if the call begins with answers", async () => {
    const { run, decisions } = setup(send, changed, ["allow", "s:*"]);
    await run({ answers: {}, round: 0 });
    expect(decisions).toHaveBeenCalledTimes(2);
  });
});
