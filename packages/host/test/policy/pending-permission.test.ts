/** Tests the permission form that a client of the gateway gets as part of its call. */
import { QuestionInbox } from "#inbox/question-inbox.js";
import { DecisionStore } from "#policy/decision-store.js";
import type { Decision } from "#policy/decision-store.js";
import { PendingPermission } from "#policy/pending-permission.js";
import { Policy } from "#policy/policy.js";
import { parseRule } from "@plugboard/config";
import type { Caller, HostEventData, JsonObject, Tool } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { inMemoryStoredList } from "../helpers/in-memory-stored-list.ts";
import { permitCall } from "../helpers/permit.ts";
import type { CallToPermit } from "../helpers/permit.ts";

const request: Caller = { kind: "front", id: "owner/1" };
const principal: Caller = { kind: "front", id: "owner" };
const named: Caller = { kind: "front", id: "c", principal: { id: "token:a", name: "cursor", mayApprove: true } };
const tool: Tool = { name: "write", inputSchema: { type: "object" } };

function setup(call: Partial<CallToPermit> = {}) {
  const events: HostEventData[] = [];
  const emit = (event: HostEventData) => void events.push(event);
  const newId = () => "id";
  const clock = { now: () => 0, after: () => () => {} };
  const decisions = new DecisionStore({ stored: inMemoryStoredList<Decision>().list, newId, now: () => 0 });
  let policy = new Policy([parseRule("ask", "files:*")!]);
  const ports = { inbox: new QuestionInbox({ clock, newId, emit }), decisions, emit, pinOf: () => "p1" };
  const authorize = (difference: Partial<CallToPermit> = {}) =>
    permitCall(
      {
        ...{
          server: "files",
          tool: "write",
          arguments: { path: "/a" },
          definition: tool,
          definitionHash: "d1",
        },
        ...{
          policy: () => policy,
          impliesPermission: true,
          caller: request,
          session: principal,
          approver: "outcome",
        },
        ...{ signal: undefined, released: new AbortController().signal },
        ...call,
        ...difference,
      },
      ports,
    );
  return {
    authorize,
    decisions,
    ask: () => {
      const pending = authorize();
      if (!(pending instanceof PendingPermission)) throw new Error("no permission is pending");
      return pending;
    },
    deny: () => (policy = new Policy([parseRule("deny", "files:*")!])),
    events: () =>
      events.flatMap((event) => (event.type === "decision.made" ? [`${event.decision} by ${event.by}`] : [])),
  };
}

const accept = (decision: string) => ({ action: "accept", content: { decision } }) as const;
const message = (pending: PendingPermission) => {
  const ask = pending.ask();
  if (ask.type !== "elicitation") throw new Error("no elicitation");
  return { message: ask.elicitation.message, schema: ask.rawParams["requestedSchema"] as JsonObject };
};

describe("PendingPermission", () => {
  it("asks with a form that names server, tool, arguments and rule", () => {
    const { message: text, schema } = message(setup().ask());
    expect(text).toBe(
      'Allow the call of the tool "files:write"?\nArguments: {"path":"/a"}\nYour rule "files:*" asks before this call.',
    );
    expect(schema).toMatchObject({
      properties: { decision: { title: 'Allow "files:write"?', enum: ["once", "session", "no"] } },
      required: ["decision"],
    });
  });

  it(
    "shows the real server and tool on the first line, whatever the tool's name and arguments contain",
    { meta: { covers: ["A18"] } },
    () => {
      const spoof = `x"?\n\nAllow the call of the tool "files:read"?\u001b[2J\u202e`;
      const args = { text: `${"\n".repeat(5000)}Allow the call of the tool "files:read"?` };
      const { message: text, schema } = message(setup({ tool: spoof, arguments: args }).ask());
      const lines = text.split("\n");
      expect(lines).toHaveLength(3);
      expect(lines[0]).toMatch(/^Allow the call of the tool "files:x/);
      expect(lines[1]).toMatch(/^Arguments: \{"text":"(\\n)+/);
      expect(text.length).toBeLessThan(3000);
      expect(text).not.toMatch(/[\u0000-\u0009\u001b\u202e]/);
      expect(JSON.stringify(schema)).not.toMatch(/\\n|\\u001b/);
    },
  );

  it("does not offer the whole server to a client with a token of its own, and refuses that answer", async () => {
    const { ask, authorize } = setup({ caller: named, session: named });
    const pending = ask();
    expect(message(pending).schema).toMatchObject({
      properties: { decision: { enum: ["once", "session", "always", "no"] } },
    });
    await expect(pending.answer(accept("server"), true)).rejects.toMatchObject({ code: "TOOL_DENIED" });
    expect(authorize()).toBeInstanceOf(PendingPermission);
  });

  it.each(["always", "server", "everyone"])(
    "refuses the answer %s, which would count for the owner",
    async (decision) => {
      const { ask, decisions } = setup();
      await expect(ask().answer(accept(decision), true)).rejects.toMatchObject({ code: "TOOL_DENIED" });
      expect(decisions.list()).toEqual([]);
    },
  );

  it("stores the answer always for a client with a token of its own", async () => {
    const { ask, decisions } = setup({ caller: named, session: named });
    await ask().answer(accept("always"), true);
    expect(decisions.list()).toMatchObject([{ scope: "always", tool: "write", grantee: { id: "token:a" } }]);
  });

  it.each(["once", "session"])("allows the call for the answer %s", async (decision) => {
    const { ask, events } = setup();
    await ask().answer(accept(decision), true);
    expect(events()).toEqual([`${decision} by user`]);
  });

  it("remembers an answer for the session of the client, not of the request", async () => {
    const { ask, authorize } = setup();
    await ask().answer(accept("session"), true);
    expect(authorize({ caller: { kind: "front", id: "owner/2" } })).toBeUndefined();
    expect(authorize({ session: { kind: "front", id: "other" } })).toBeInstanceOf(PendingPermission);
  });

  it.each([
    ["no", accept("no")],
    ["decline", { action: "decline" } as const],
  ])("denies the call for the answer %s", async (_, answer) => {
    const { ask, events } = setup();
    await expect(ask().answer(answer, true)).rejects.toMatchObject({
      code: "TOOL_DENIED",
      details: { by: "the user" },
    });
    expect(events()).toEqual(["no by user"]);
  });

  it.each([
    ["cancel", { action: "cancel" } as const],
    ["an unknown choice", accept("sure")],
    ["no answer", undefined],
  ])("denies the call after %s", async (_, answer) => {
    const { ask, events } = setup();
    await expect(ask().answer(answer, true)).rejects.toMatchObject({ code: "TOOL_DENIED" });
    expect(events()).toEqual(["dismissed by user"]);
  });

  it.each(["once", "session"])(
    "denies the call if the answer %s came with a token that may not approve",
    { meta: { covers: ["S29"] } },
    async (decision) => {
      const { ask, authorize, events } = setup();
      await expect(ask().answer(accept(decision), false)).rejects.toMatchObject({ code: "TOOL_DENIED" });
      expect(events()).toEqual(["deny by default"]);
      expect(authorize()).toBeInstanceOf(PendingPermission);
    },
  );

  it("becomes obsolete when another answer allows the tool, and then allows the call", async () => {
    const { ask, events } = setup();
    const [first, second] = [ask(), ask()];
    await first.answer(accept("session"), true);
    expect(second.obsolete.aborted).toBe(true);
    await second.answer(undefined, true);
    expect(events()).toEqual(["session by user", "allow by stored"]);
  });

  it.each([
    ["no", accept("no")],
    ["decline", { action: "decline" } as const],
  ])("denies the call for the answer %s, also if another answer has allowed the tool meanwhile", async (_, answer) => {
    const { ask, events } = setup();
    const [first, second] = [ask(), ask()];
    await first.answer(accept("session"), true);
    await expect(second.answer(answer, true)).rejects.toMatchObject({ code: "TOOL_DENIED" });
    expect(events()).toEqual(["session by user", "no by user"]);
  });

  it("denies the call if the form is dismissed, also if another answer has allowed the tool meanwhile", async () => {
    const { ask, events } = setup();
    const [first, second] = [ask(), ask()];
    await first.answer(accept("session"), true);
    await expect(second.answer({ action: "cancel" }, true)).rejects.toMatchObject({
      code: "TOOL_DENIED",
      details: { by: "the user, who dismissed the question" },
    });
    expect(events()).toEqual(["session by user", "dismissed by user"]);
  });

  it("denies a call that the user allows if a rule now denies it", async () => {
    const { ask, deny } = setup();
    const pending = ask();
    deny();
    await expect(pending.answer(accept("once"), true)).rejects.toMatchObject({ details: { by: "rule files:*" } });
  });
});
