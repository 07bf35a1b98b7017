/** Tests how long FrontHandler waits for servers to start, and that closing it cancels parked calls. */
import type { Caller } from "@plugboard/contracts";
import type { FrontContext, Op, Outcome, Suspended } from "@plugboard/mcp";
import { FrontHandler } from "#fronts/front-handler.js";
import { describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../../mcp/test/helpers/manual-clock.ts";
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

function makeHandler(started: Promise<void>) {
  const clock = new ManualClock();
  const identity = { name: "tested", version: "0" };
  const workspace = emptyWorkspace(started);
  return { clock, handler: new FrontHandler({ workspace, outputs: noOutputs, identity, clock }) };
}

describe("FrontHandler.request for the first list of tools", () => {
  const list: Op = { method: "tools/list", params: {} };

  it("waits at most five seconds for servers to start, then lists the available tools", async () => {
    const { clock, handler } = makeHandler(new Promise(() => {}));
    const settled = vi.fn<(outcome: Outcome) => void>();
    const listed = handler.request(list, ann, ctx).then(settled);
    clock.advance(4999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).not.toHaveBeenCalled();
    clock.advance(1);
    await listed;
    expect(settled.mock.calls).toMatchObject([[{ type: "complete", result: { tools: [] } }]]);
    // Later lists do not wait.
    await handler.request(list, ann, ctx);
  });

  it("answers when all servers have started, and leaves no timer", async () => {
    const { clock, handler } = makeHandler(Promise.resolve());
    expect(await handler.request(list, ann, ctx)).toMatchObject({ type: "complete" });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe("FrontHandler.close", () => {
  it("cancels parked calls and rejects their request states", async () => {
    const { clock, handler } = makeHandler(Promise.resolve());
    const call: Op = { method: "tools/call", params: { name: "t", arguments: {} } };
    const abandon = vi.fn<(reason: string) => void>();
    const resume = vi.fn<Suspended["resume"]>();
    const obsolete = new AbortController().signal;
    const state = handler.storeSuspended({ type: "asks", asks: {}, obsolete, resume, abandon }, call, ann);
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
