/** Tests the lines of `plugboard serve` for events that are rare with a real host. */
import { describeEvent, describeServerLine, renderHostLine } from "#render/hosting/render-host-event.js";
import { plainText } from "#terminal/text.js";
import type { HostEventData, ServerStatus } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const caller = { kind: "front", id: "x" } as const;
const error = { code: "REQUEST_TIMEOUT", message: "m", details: { server: "s", afterMs: 5 } } as never;
const textOf = (event: HostEventData) => describeEvent({ ...event, seq: 1, at: 0 })?.text;

const endedCall = { type: "call.ended", call: "1", caller, server: "s", tool: "t", durationMs: 2.4 } as const;

describe("describeEvent", () => {
  it.each<[HostEventData, string | undefined]>([
    [{ ...endedCall, outcome: "complete", isError: true }, "s:t returned an error after 2 ms, called by client"],
    [
      { ...endedCall, outcome: "complete", schemaMismatch: true },
      "s:t done, with a result that does not match its output schema, after 2 ms, called by client",
    ],
    [
      { ...endedCall, outcome: "failed", code: "SERVER_CRASHED" },
      "s:t failed (SERVER_CRASHED) after 2 ms, called by client",
    ],
    [{ ...endedCall, outcome: "failed", code: "CANCELLED" }, "s:t cancelled after 2 ms, called by client"],
    [{ ...endedCall, outcome: "failed", code: "TOOL_DENIED" }, "s:t denied after 2 ms, called by client"],
    [
      {
        type: "decision.made",
        call: "1",
        caller: { ...caller, principal: { id: "token:1", name: "ann", mayApprove: false } },
        server: "s",
        tool: "t",
        decision: "deny",
        by: "rule",
      },
      "s:t denied (rule), called by client ann",
    ],
    [{ type: "call.started", call: "1", caller, server: "s", tool: "t" }, undefined],
    [
      { type: "decision.made", call: "1", caller, server: "s", tool: "t", decision: "deny", by: "rule" },
      "s:t denied (rule), called by client",
    ],
    [{ type: "decision.made", call: "1", caller, server: "s", tool: "t", decision: "once", by: "user" }, undefined],
    [
      { type: "config.changed", added: ["a"], removed: ["b", "c"], changed: [] },
      "config read again: added a; removed b, c",
    ],
    [{ type: "config.changed", added: [], removed: [], changed: [] }, "config read again: no server has changed"],
    [{ type: "login.changed", server: "s", change: "expired" }, "s: login expired"],
    [
      { type: "question.unattended", owner: caller, server: "s", message: "Name?" },
      's asked "Name?", but nobody can answer',
    ],
    [{ type: "activity.failed", reason: "the disk is full" }, "the activity can't be written: the disk is full"],
  ])("describes %j as %j", (event, text) => {
    expect(textOf(event)).toBe(text);
  });

  it("shows the code and message of an error", () => {
    expect(textOf({ type: "login.failed", server: "s", error })).toMatch(
      /^s: the login failed: REQUEST_TIMEOUT: .*5 ms/,
    );
  });
});

describe("describeServerLine", () => {
  const base = { id: "s", transport: "stdio", source: "user", target: "x", enabled: true, tools: 1 } as const;
  const describeStatus = (status: Partial<ServerStatus>) =>
    describeServerLine({ ...base, state: "idle", ...status }, 1000);

  it("describes only servers that are ready, have failed or need the user", () => {
    expect(describeStatus({ state: "ready" })?.text).toBe("s: ready, 1 tool");
    for (const state of ["idle", "connecting", "disabled"] as const) expect(describeStatus({ state })).toBeUndefined();
    expect(describeStatus({ state: "auth_required" })?.text).toBe("s: needs a login. Run `plugboard login s`");
    expect(describeStatus({ state: "error", lastError: error })?.text).toMatch(/^s: failed: REQUEST_TIMEOUT: /);
  });

  it("has the same key for each retry after the same failure", () => {
    const [first, second] = [3000, 9000].map((retryAt) =>
      describeStatus({ state: "connecting", retryAt, lastError: error }),
    );
    expect(first!.text).toMatch(/^s: failed, retrying in 2 s: REQUEST_TIMEOUT: /);
    expect(second!.text).not.toBe(first!.text);
    expect(second!.key).toBe(first!.key);
  });
});

describe("renderHostLine", () => {
  it("puts the time before the text, and all text on one line", () => {
    const text = plainText(renderHostLine({ text: "a\nb\u001b[2J" }, 0));
    expect(text).toMatch(/^\d\d:\d\d:\d\d {2}[^\n]*\n$/);
    expect(text).not.toContain("\u001b");
  });
});
