/** Tests a permission that a client gives with a later request, which may reach another process. */
import type { Call } from "#calls/call.js";
import { runCall } from "#calls/run-call.js";
import type { CallPorts } from "#calls/run-call.js";
import { Policy } from "#policy/policy.js";
import { parseRule } from "@plugboard/config";
import type { Caller, Tool } from "@plugboard/contracts";
import type { AskAnswers, Connection, Op, Outcome, PortableCall } from "@plugboard/mcp";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { makeCallPorts, makeResolvedCall } from "../helpers/make-calls.ts";

const send: Tool = { name: "send", description: "Sends it to you", inputSchema: { type: "object" } };
const ANN: Caller = { kind: "front", id: "ann" };
const answer = (decision: string): AskAnswers => ({ permission: { action: "accept", content: { decision } } });
const dismissed: AskAnswers = { permission: { action: "cancel" } };

let ports: CallPorts;
let definition: Tool;
let policy: Policy;
const request = vi.fn<(op: Op) => Promise<Outcome>>();
const sent = () => request.mock.calls.map(([op]) => op);
const usePolicy = (...rules: ["allow" | "ask" | "deny", string][]) =>
  (policy = new Policy(rules.map(([effect, text]) => parseRule(effect, text)!)));

beforeEach(() => {
  ports = newPorts();
  definition = send;
  usePolicy(["ask", "s:send"]);
  request.mockReset().mockResolvedValue({ type: "complete", result: { content: [] } });
});

/** Returns the ports of a host that has just started. */
function newPorts(): CallPorts {
  return { ...makeCallPorts(), attended: () => false };
}

function run(fields: Partial<Pick<Call, "resumed" | "answersLater" | "impliesPermission">> = {}): Promise<Outcome> {
  const connection = { state: { phase: "ready" }, request, turns: "never" } as unknown as Connection;
  const tool = { definition: () => definition, policy: () => policy };
  const front = { connection, approvesByForm: true, answersLater: true, impliesPermission: true };
  return runCall(makeResolvedCall({ server: "s", tool: "send" }, {}, ANN, tool, { ...front, ...fields }), ports);
}

/** Returns the portable call that the client gets with the question, after a round trip through JSON. */
async function ask(fields: Parameters<typeof run>[0] = {}): Promise<PortableCall> {
  const outcome = await run(fields);
  if (outcome.type !== "asks" || !outcome.portable) throw new Error(`it did not ask: ${JSON.stringify(outcome)}`);
  expect(request).not.toHaveBeenCalled();
  return JSON.parse(JSON.stringify(outcome.portable)) as PortableCall;
}

const denied = (by: string) => ({
  type: "failed",
  error: { code: "TOOL_DENIED", details: { by: expect.stringContaining(by) as string } },
});

describe.each([
  ["in the same process", () => {}],
  ["after a restart", () => void (ports = newPorts())],
])("a permission that is given with a later request, %s,", (_, restart) => {
  it("lets the call run, and is not passed on to the server", async () => {
    const portable = await ask();
    restart();
    expect(await run({ resumed: { ...portable, answers: answer("once") } })).toMatchObject({ type: "complete" });
    expect(sent()).toMatchObject([{ method: "tools/call", params: { name: "send", resumed: undefined } }]);
  });

  it("keeps the answers that the call began with, and the server gets them", async () => {
    const answers: AskAnswers = { name: { action: "accept", content: { name: "Ann" } } };
    const portable = await ask({ resumed: { answers, round: 0 } });
    restart();
    await run({ resumed: { ...portable, answers: answer("once") } });
    expect(sent()).toMatchObject([{ params: { resumed: { answers, round: 0 } } }]);
  });

  it.each([
    ["the same rule", "s:send"],
    ["another rule", "s:*"],
  ])("is denied by the user, also if %s allows the call by now", async (_, rule) => {
    const portable = await ask();
    restart();
    usePolicy(["allow", rule]);
    expect(await run({ resumed: { ...portable, answers: answer("no") } })).toMatchObject(denied("the user"));
    expect(await run({ resumed: { ...portable, answers: dismissed } })).toMatchObject(
      denied("the user, who dismissed"),
    );
    expect(request).not.toHaveBeenCalled();
  });

  it("does not apply if a rule now denies the call", async () => {
    const portable = await ask();
    restart();
    usePolicy(["deny", "s:send"]);
    expect(await run({ resumed: { ...portable, answers: answer("always") } })).toMatchObject(denied("rule"));
    expect(request).not.toHaveBeenCalled();
  });

  it("does not apply if its token may not approve calls", async () => {
    const portable = await ask();
    restart();
    const resumed = { ...portable, answers: answer("once") };
    expect(await run({ resumed, impliesPermission: false })).toMatchObject(denied("may not approve"));
    expect(request).not.toHaveBeenCalled();
  });

  it.each<[string, () => void, AskAnswers]>([
    ["has no answer", () => {}, {}],
    [
      "was given for another definition of the tool",
      () => (definition = { ...send, description: "Sends it to all" }),
      answer("always"),
    ],
    ["was given for another rule", () => usePolicy(["ask", "s:*"]), answer("always")],
  ])("is asked for again if it %s", async (_, change, answers) => {
    const portable = await ask();
    restart();
    change();
    const again = await ask({ resumed: { ...portable, answers } });
    expect(again.permission).toEqual({});
    expect(await run({ resumed: { ...again, answers: answer("once") } })).toMatchObject({ type: "complete" });
  });
});

describe("a permission that is given with a later request", () => {
  it("is not needed if another answer has allowed the call meanwhile", async () => {
    const [first, second] = [await ask(), await ask()];
    await run({ resumed: { ...first, answers: answer("session") } });
    expect(await run({ resumed: { ...second, answers: {} } })).toMatchObject({ type: "complete" });
  });

  it("is denied if the form is dismissed, also if another answer has allowed the call meanwhile", async () => {
    const [first, second] = [await ask(), await ask()];
    await run({ resumed: { ...first, answers: answer("session") } });
    request.mockClear();
    expect(await run({ resumed: { ...second, answers: dismissed } })).toMatchObject(denied("the user, who dismissed"));
    expect(request).not.toHaveBeenCalled();
  });

  it("leaves no listener for decisions behind, whether it is given or not", async () => {
    let listeners = 0;
    const { onRemembered } = ports.decisions;
    vi.spyOn(ports.decisions, "onRemembered").mockImplementation((listener) => {
      listeners += 1;
      const stop = onRemembered.call(ports.decisions, listener);
      return () => {
        listeners -= 1;
        stop();
      };
    });
    const portable = await ask();
    await ask();
    expect(listeners).toBe(2);
    await run({ resumed: { ...portable, answers: answer("once") } });
    expect(listeners).toBe(1);
    ports.tracker.close();
    expect(listeners).toBe(0);
  });

  it("is awaited for at most 1000 calls, and then the oldest call of the principal with most is ended", async () => {
    const end = vi.spyOn(ports.tracker, "end");
    const first = await ask();
    for (let count = 1; count < 1000; count++) await ask();
    expect(end).not.toHaveBeenCalled();
    await ask();
    expect(end).toHaveBeenCalledOnce();
    expect(end.mock.calls[0]![0].record.id).toBe(first.call);
    // The client of the ended call can still give its permission.
    expect(await run({ resumed: { ...first, answers: answer("once") } })).toMatchObject({ type: "complete" });
  });
});

it("a client that can answer within the same request gets no portable call", async () => {
  expect(await run({ answersLater: false })).not.toHaveProperty("portable");
});
