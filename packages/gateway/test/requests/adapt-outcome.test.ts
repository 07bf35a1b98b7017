/** Tests what a client of the gateway gets for each outcome, depending on what the client supports. */
import { HostError } from "@plugboard/contracts";
import type { Caller, JsonObject } from "@plugboard/contracts";
import type { OpenWorkspace } from "@plugboard/host/workspace";
import type { Ask, AskAnswer, FrontContext, Outcome, Suspended } from "@plugboard/mcp";
import { adaptOutcome } from "#requests/adapt-outcome.js";
import { describe, expect, it, vi } from "vitest";
import { revisionNamed } from "../helpers/revision-named.ts";

const ann: Caller = { kind: "front", id: "ann" };
const sampling = (rawParams: JsonObject = {}): Ask => ({ type: "sampling", rawParams });
const roots: Ask = { type: "roots", rawParams: {} };
const form: Ask = { type: "elicitation", elicitation: { mode: "form", message: "Who?", fields: [] }, rawParams: {} };
const done: Outcome = { type: "complete", result: { done: true } };

/** A client that supports only the given features. */
function client(supported: Partial<FrontContext> = {}): FrontContext {
  const signal = new AbortController().signal;
  const nothing = { elicitation: { form: false, url: false }, sampling: false, tasks: false } as const;
  return { session: ann, signal, revision: revisionNamed(), ...nothing, ...supported };
}

function suspended(asks: Suspended["asks"], next: Outcome = done) {
  const resume = vi.fn<Suspended["resume"]>(async () => next);
  return { type: "asks" as const, asks, obsolete: new AbortController().signal, resume, abandon: () => {} };
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

  it.each<[string, Ask, Partial<FrontContext>, AskAnswer]>([
    ["roots", roots, {}, { action: "cancel" }],
    ["sampling", sampling(), {}, { action: "unsupported" }],
    ["sampling with tools", sampling({ tools: [] }), { sampling: true }, { action: "unsupported" }],
    [
      "sampling with a tool choice",
      sampling({ toolChoice: { mode: "none" } }),
      { sampling: true },
      { action: "unsupported" },
    ],
  ])("for %s is not passed on if the client does not support it", async (_, ask, supported, answer) => {
    const call = suspended({ a: ask });
    expect(await adapt(call, client(supported))).toMatchObject({ type: "complete" });
    expect(call.resume.mock.calls).toMatchObject([[{ a: answer }, {}]]);
  });

  it("goes to the users who watch the inbox if it is a form and the client supports no forms", async () => {
    const call = suspended({ a: form, b: sampling() });
    expect(await adapt(call, client())).toMatchObject({ type: "complete" });
    const answers = { a: { action: "accept", content: { name: "Ann" } }, b: { action: "unsupported" } };
    expect(call.resume.mock.calls).toMatchObject([[answers, {}]]);
  });
});

describe("a call that fails without the answer of its client", () => {
  const cause = { code: -32603, message: "no model" };
  const details = { server: "s", tool: "t", code: cause.code, message: cause.message };
  const failed: Outcome = { type: "failed", error: new HostError("TOOL_EXECUTION_FAILED", details, { cause }) };

  it("names the capability that a modern client lacks", async () => {
    const requiredCapabilities = { sampling: {} };
    expect(await adapt(suspended({ a: sampling() }, failed), client())).toMatchObject({
      error: { peer: { code: -32021, data: { requiredCapabilities } } },
    });
  });

  it("also names that capability if the server returns its error as a result", async () => {
    const isError: Outcome = { type: "complete", result: { content: [], isError: true } };
    expect(await adapt(suspended({ a: sampling() }, isError), client())).toMatchObject({
      error: { peer: { code: -32021, data: { requiredCapabilities: { sampling: {} } } } },
    });
    const legacy = client({ revision: revisionNamed("2025-06-18") });
    expect(await adapt(suspended({ a: sampling() }, isError), legacy)).toMatchObject({ type: "complete" });
    expect(await adapt(suspended({ a: form }, isError), client())).toMatchObject({ type: "complete" });
  });

  it("keeps its error for a legacy client, or if a user who watches has answered", async () => {
    const legacy = client({ revision: revisionNamed("2025-06-18") });
    expect(await adapt(suspended({ a: sampling() }, failed), legacy)).toBe(failed);
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

  it("is followed to its end for a client that does not know tasks", async () => {
    const handOver = vi.fn();
    const outcome: Outcome = { type: "task", task, follow: async () => done, cancel: async () => {}, handOver };
    expect(await adapt(outcome, client(), () => task)).toMatchObject({ type: "complete", result: { done: true } });
    expect(handOver).not.toHaveBeenCalled();
  });
});
