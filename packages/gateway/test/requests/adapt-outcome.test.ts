/** Tests what a client of the gateway gets for each outcome, depending on what the client supports. */
import { HostError } from "@plugboard/contracts";
import type { Caller, JsonObject } from "@plugboard/contracts";
import type { OpenWorkspace } from "@plugboard/host/internal";
import type { Ask, AskAnswer, FrontContext, Outcome, Suspended } from "@plugboard/mcp";
import { adaptOutcome } from "#requests/adapt-outcome.js";
import { describe, expect, it, vi } from "vitest";
import { revisionNamed } from "../helpers/revision-named.ts";

const ann: Caller = { kind: "front", id: "ann" };
const sampling = (rawParams: JsonObject = {}): Ask => ({ type: "sampling", rawParams });
const roots: Ask = { type: "roots", rawParams: {} };
const form: Ask = { type: "elicitation", elicitation: { mode: "form", message: "Who?", fields: [] }, rawParams: {} };
const legacy = revisionNamed("2025-06-18");
const done: Outcome = { type: "complete", result: { done: true } };

/** A client that supports nothing, except for the given. */
function client(supported: Partial<FrontContext> = {}): FrontContext {
  const signal = new AbortController().signal;
  const nothing = { elicitation: { form: false, url: false }, sampling: false, tasks: false } as const;
  return { session: ann, signal, revision: revisionNamed(), ...nothing, ...supported };
}

function suspended(asks: Suspended["asks"], next: Outcome = done) {
  const resume = vi.fn<Suspended["resume"]>(async () => next);
  const abandon = vi.fn<Suspended["abandon"]>();
  return { type: "asks" as const, asks, obsolete: new AbortController().signal, resume, abandon };
}

function adapt(outcome: Outcome, ctx: FrontContext, adaptTask?: (task: JsonObject) => JsonObject) {
  const askWatchers = async (): Promise<AskAnswer> => ({ action: "accept", content: { name: "Ann" } });
  const workspace = { forwarding: { askWatchers } } as unknown as OpenWorkspace;
  const adaptResult = (result: JsonObject) => ({ ...result, adapted: true });
  return adaptOutcome(outcome, { ctx, workspace, server: "s", caller: ann, adaptResult, adaptTask });
}

describe("a question of a server", () => {
  it.each<[string, Ask, Partial<FrontContext>]>([
    ["a form", form, { elicitation: { form: true, url: false } }],
    ["roots", roots, { roots: true }],
    ["sampling", sampling(), { sampling: true }],
    ["sampling", sampling(), { sampling: "with-tools" }],
    ["sampling with tools", sampling({ tools: [] }), { sampling: "with-tools" }],
    ["sampling with a tool choice", sampling({ toolChoice: { mode: "none" } }), { sampling: "with-tools" }],
  ])("for %s reaches a client that supports it, and the result is adapted", async (_, ask, supported) => {
    const call = suspended({ a: ask });
    const outcome = (await adapt(call, client(supported))) as Suspended;
    expect(outcome).toMatchObject({ type: "asks", asks: { a: ask } });
    const answers = { a: { action: "decline" } } as const;
    expect(await outcome.resume(answers, {})).toEqual({ type: "complete", result: { done: true, adapted: true } });
    expect(call.resume.mock.calls).toMatchObject([[answers, {}]]);
  });

  const unsupported: [string, Ask, Partial<FrontContext>, JsonObject][] = [
    ["roots", roots, {}, { roots: {} }],
    ["sampling", sampling(), {}, { sampling: {} }],
    ["sampling with tools", sampling({ tools: [] }), { sampling: true }, { sampling: {} }],
    ["sampling with a tool choice", sampling({ toolChoice: { mode: "none" } }), { sampling: true }, { sampling: {} }],
  ];

  it.each(unsupported)("for %s ends the call of a modern client that lacks it", async (_, ask, supported, missing) => {
    const answer = vi.fn<NonNullable<Suspended["live"]>["answer"]>();
    const call = { ...suspended({ a: ask }), live: { onAsk: () => () => {}, answer } };
    expect(await adapt(call, client(supported))).toMatchObject({
      type: "failed",
      error: { peer: { code: -32021, data: { requiredCapabilities: missing } } },
    });
    expect(call.resume).not.toHaveBeenCalled();
    expect(call.abandon).toHaveBeenCalledOnce();
    expect(answer.mock.calls).toMatchObject([["a", { action: ask.type === "sampling" ? "unsupported" : "cancel" }]]);
  });

  it.each(unsupported)(
    "for %s is not passed on to a legacy client that does not support it",
    async (_, ask, supported) => {
      const call = suspended({ a: ask });
      expect(await adapt(call, client({ ...supported, revision: legacy }))).toMatchObject({ type: "complete" });
      const action = ask.type === "sampling" ? "unsupported" : "cancel";
      expect(call.resume.mock.calls).toMatchObject([[{ a: { action } }, {}]]);
    },
  );

  it("goes to the users who watch the inbox if it is a form and the client has none", async () => {
    const call = suspended({ a: form, b: sampling() });
    expect(await adapt(call, client({ revision: legacy }))).toMatchObject({ type: "complete" });
    const answers = { a: { action: "accept", content: { name: "Ann" } }, b: { action: "unsupported" } };
    expect(call.resume.mock.calls).toMatchObject([[answers, {}]]);
  });

  it("ends the call of a modern client that lacks sampling if it comes while a form is open", async () => {
    const onAsk = (listener: (key: string, ask: Ask) => boolean) => (listener("b", sampling()), () => {});
    const call = { ...suspended({ a: form }), live: { onAsk, answer: () => {} } };
    expect(await adapt(call, client())).toMatchObject({ error: { peer: { code: -32021 } } });
    expect(call.abandon).toHaveBeenCalledOnce();
  });

  it("leaves the error of a call that fails after the answer of a user", async () => {
    const failed: Outcome = { type: "failed", error: new HostError("HOST_CLOSED", {}) };
    expect(await adapt(suspended({ a: form }, failed), client())).toBe(failed);
  });
});

describe("a failed call", () => {
  it.each([
    new HostError("TOOL_DENIED", { server: "s", tool: "t", by: "a rule" }),
    new HostError("NOBODY_TO_ASK", { server: "s", tool: "t" }),
    new HostError("INVALID_ARGUMENTS", { reason: "x is missing" }),
    new HostError("AUTH_REQUIRED", { server: "s", own: true }),
    new HostError("LOGIN_FAILED", { server: "s", reason: "it was declined", own: true }),
  ])("is a result that the model can read ($code)", async (error) => {
    expect(await adapt({ type: "failed", error }, client())).toMatchObject({
      type: "complete",
      result: { isError: true, content: [{ type: "text", text: expect.any(String) as string }] },
    });
  });

  it.each([
    new HostError("AUTH_REQUIRED", { server: "s" }),
    new HostError("LOGIN_FAILED", { server: "s", reason: "it was declined" }),
    new HostError("HOST_CLOSED", {}),
  ])("stays an error if neither the model nor its user can do anything ($code)", async (error) => {
    expect(await adapt({ type: "failed", error }, client())).toEqual({ type: "failed", error });
  });
});

describe("a task", () => {
  const task = { taskId: "1" };

  it("is handed over to a client that knows tasks, which can follow and cancel it", async () => {
    const server = { follow: vi.fn(async () => done), cancel: vi.fn(async () => {}), handOver: vi.fn() };
    const outcome = await adapt({ type: "task", task, ...server }, client({ tasks: true }), () => ({ taskId: "s/1" }));
    expect(outcome).toMatchObject({ type: "task", task: { taskId: "s/1" } });
    expect(server.handOver).toHaveBeenCalledOnce();
    if (outcome.type !== "task") throw new Error("no task");
    expect(await outcome.follow({})).toBe(done);
    await outcome.cancel();
    expect(server.cancel).toHaveBeenCalledOnce();
  });

  it("is followed to its end for a client that knows none", async () => {
    const handOver = vi.fn();
    const outcome: Outcome = { type: "task", task, follow: async () => done, cancel: async () => {}, handOver };
    expect(await adapt(outcome, client(), () => task)).toMatchObject({ type: "complete", result: { done: true } });
    expect(handOver).not.toHaveBeenCalled();
  });
});
