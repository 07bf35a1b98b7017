/** Tests how long FrontHandler waits for servers to start, and how it resumes, counts and cancels calls. */
import type { Caller } from "@plugboard/contracts";
import type { Call } from "@plugboard/host/forwarding";
import type { FrontContext, Op, Outcome, Suspended } from "@plugboard/mcp";
import { FrontHandler } from "#fronts/front-handler.js";
import type { FrontHandlerOptions } from "#fronts/front-handler.js";
import { describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";
import { emptyWorkspace, noOutputs } from "../helpers/empty-workspace.ts";
import { revisionNamed } from "../helpers/revision-named.ts";

const ann: Caller = { kind: "front", id: "ann" };
const ctx: FrontContext = {
  session: ann,
  signal: new AbortController().signal,
  revision: revisionNamed(),
  elicitation: { form: true, url: true },
  sampling: false,
  tasks: false,
};

function makeHandler(
  started: Promise<void>,
  workspace = emptyWorkspace(started),
  fronts?: NonNullable<FrontHandlerOptions["fronts"]>,
) {
  const clock = new ManualClock();
  const identity = { name: "tested", version: "0" };
  const options = { workspace, outputs: noOutputs, identity, clock, ...(fronts && { fronts }) };
  return { clock, handler: new FrontHandler(options) };
}

describe("FrontHandler.request for the first list of tools", () => {
  const list: Op = { method: "tools/list", params: {} };

  it.each<[string, (handler: FrontHandler) => Promise<Outcome>]>([
    ["a list", (handler) => handler.request(list, ann, ctx)],
    ["a request with answers", (handler) => handler.resume(undefined, {}, list, ann, ctx)],
  ])("waits at most five seconds for servers to start, then lists the available tools (%s)", async (_, request) => {
    const { clock, handler } = makeHandler(new Promise(() => {}));
    const settled = vi.fn<(outcome: Outcome) => void>();
    const listed = request(handler).then(settled);
    clock.advance(4999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).not.toHaveBeenCalled();
    clock.advance(1);
    await listed;
    expect(settled.mock.calls).toMatchObject([[{ type: "complete", result: { tools: [] } }]]);
    // Later requests for a list do not wait.
    await handler.request(list, ann, ctx);
  });

  it("answers when all servers have started, and leaves no timer", async () => {
    const { clock, handler } = makeHandler(Promise.resolve());
    expect(await handler.request(list, ann, ctx)).toMatchObject({ type: "complete" });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("FrontHandler.resume", () => {
  /** Makes a handler with one tool, whose calls ask two questions. Also returns the calls. */
  function handlerWithTool() {
    const calls: Call[] = [];
    const obsolete = new AbortController().signal;
    const asking = (rounds: number): Outcome => ({
      ...{ type: "asks", obsolete, abandon: () => {} },
      asks: { a: { type: "elicitation", elicitation: { mode: "form", message: "?", fields: [] }, rawParams: {} } },
      resume: async () => (rounds > 1 ? asking(rounds - 1) : { type: "complete", result: { content: [] } }),
    });
    const request = async (call: Call) => (calls.push(call), asking(2));
    const find = () => ({ server: "s", tool: "t" });
    const started = Promise.resolve();
    const workspace = emptyWorkspace(started, { tools: { view: () => ({ find }) }, calls: { request } });
    return { calls, handler: makeHandler(started, workspace).handler };
  }
  const call: Op = { method: "tools/call", params: { name: "t", arguments: {} } };
  const answers = { a: { action: "decline" } } as const;

  it("sends progress to the request that has resumed the call, and to no request while the call is parked", async () => {
    const { calls, handler } = handlerWithTool();
    const received: string[] = [];
    const receiver = (name: string): FrontContext => ({ ...ctx, onProgress: () => received.push(name) });
    const first = (await handler.request(call, ann, receiver("first"))) as Suspended;
    const report = () => calls[0]!.onProgress?.({ progress: 1 });
    report();
    const state = await handler.storeSuspended(first, call, ann);
    report();
    const second = (await handler.resume(state, answers, call, ann, receiver("second"))) as Suspended;
    report();
    const next = await handler.storeSuspended(second, call, ann);
    report();
    expect(await handler.resume(next, answers, call, ann, receiver("third"))).toMatchObject({ type: "complete" });
    report();
    expect(received).toEqual(["first", "second", "third"]);
  });

  it("asks again for an answer that is missing", async () => {
    const { handler } = handlerWithTool();
    const first = (await handler.request(call, ann, ctx)) as Suspended;
    const again = await handler.resume(await handler.storeSuspended(first, call, ann), {}, call, ann, ctx);
    expect(again).toMatchObject({ type: "asks", asks: first.asks });
  });
});

describe("FrontHandler.storeSuspended", () => {
  it("parks 8 calls of each client and 64 in all, for ten minutes", async () => {
    const { clock, handler } = makeHandler(Promise.resolve());
    const abandon = vi.fn<(reason: string) => void>();
    const call: Op = { method: "tools/call", params: { name: "t", arguments: {} } };
    const park = (client: number) => {
      const principal = { id: `token:${client}`, name: "same", mayApprove: false };
      const caller: Caller = { kind: "front", id: `client ${client}`, principal };
      return handler.storeSuspended({ abandon } as unknown as Suspended, call, caller);
    };
    for (let number = 0; number < 64; number++) await park(number % 8);
    await expect(park(0)).rejects.toMatchObject({ details: { limit: 8, scope: "this client" } });
    expect(abandon).not.toHaveBeenCalled();
    await park(8);
    expect(abandon).toHaveBeenCalledOnce();
    clock.advance(10 * 60_000 - 1);
    expect(abandon).toHaveBeenCalledOnce();
    clock.advance(1);
    expect(abandon).toHaveBeenCalledTimes(65);
  });
});

describe("FrontHandler.request", () => {
  it("counts tool calls, and no other requests", async () => {
    const countCall = vi.fn();
    const { handler } = makeHandler(Promise.resolve(), emptyWorkspace(), { beginRequest: () => () => {}, countCall });
    await handler.request({ method: "tools/list", params: {} }, ann, ctx);
    expect(countCall).not.toHaveBeenCalled();
    await handler.request({ method: "tools/call", params: { name: "t", arguments: {} } }, ann, ctx);
    expect(countCall).toHaveBeenCalledExactlyOnceWith(ann, ctx.revision);
  });
});

describe("FrontHandler.forgetPrincipal", () => {
  it("cancels the parked calls of the principal", async () => {
    const { handler } = makeHandler(Promise.resolve());
    const abandon = vi.fn<(reason: string) => void>();
    const bob: Caller = { kind: "front", id: "bob", principal: { id: "token:bob", name: "bob", mayApprove: false } };
    const call: Op = { method: "tools/call", params: { name: "t", arguments: {} } };
    await handler.storeSuspended({ abandon } as unknown as Suspended, call, bob);
    handler.forgetPrincipal("token:bob");
    expect(abandon).toHaveBeenCalledOnce();
  });
});

describe("FrontHandler.close", () => {
  it("stops following the config", () => {
    const stop = vi.fn();
    const workspace = emptyWorkspace(Promise.resolve(), { onConfigRead: () => stop });
    makeHandler(Promise.resolve(), workspace).handler.close();
    expect(stop).toHaveBeenCalledOnce();
  });

  it("cancels parked calls and rejects their request states", async () => {
    const { clock, handler } = makeHandler(Promise.resolve());
    const call: Op = { method: "tools/call", params: { name: "t", arguments: {} } };
    const abandon = vi.fn<(reason: string) => void>();
    const resume = vi.fn<Suspended["resume"]>();
    const obsolete = new AbortController().signal;
    const state = await handler.storeSuspended({ type: "asks", asks: {}, obsolete, resume, abandon }, call, ann);
    expect(clock.pendingTimers).toBe(1);
    handler.close();
    expect(abandon).toHaveBeenCalledExactlyOnceWith("the host is closing");
    expect(clock.pendingTimers).toBe(0);
    expect(await handler.resume(state, {}, call, ann, ctx)).toMatchObject({
      type: "failed",
      error: { code: "STATE_REFUSED" },
    });
    expect(resume).not.toHaveBeenCalled();
  });
});
