/** Tests the sessions of legacy HTTP clients. */
import { OWNER } from "@plugboard/contracts";
import type { Principal } from "@plugboard/contracts";
import type { McpRequestHandler } from "@plugboard/mcp";
import { HttpSessions } from "#server-transport/http-sessions.js";
import { describe, expect, it } from "vitest";
import { ManualClock } from "../../../contracts/test/helpers/manual-clock.ts";

const ann: Principal = { id: "ann", name: "client", mayApprove: false };
const bob: Principal = { id: "bob", name: "client", mayApprove: false };
const silent = { send: () => {}, end: () => {} };

/** A handler that never answers. */
const handler: McpRequestHandler = {
  identity: { name: "test", version: "0" },
  capabilities: () => ({
    tools: true,
    resources: false,
    prompts: false,
    completion: false,
    logging: false,
    tasks: false,
    subscribe: false,
    listChanged: { tools: false, resources: false, prompts: false },
  }),
  request: () => new Promise(() => {}),
  resume: () => new Promise(() => {}),
  storeSuspended: async () => "",
  listen: () => ({ stop: () => {} }),
};

const call = {
  type: "request",
  message: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t" } },
} as const;

const MINUTE = 60_000;

function setUp(limits: { perPrincipal?: number; total?: number } = {}) {
  const clock = new ManualClock();
  const sessions = new HttpSessions(clock, { perPrincipal: 2, total: 3, idleMs: 30 * MINUTE, ...limits });
  const open = (principal: Principal) => {
    const opened = sessions.open({ handler, principal });
    if ("scope" in opened) throw new Error("the session was refused");
    return opened;
  };
  return { clock, sessions, open };
}

describe("HttpSessions", { meta: { covers: ["S18"] } }, () => {
  it("finds a session only for the principal that opened it", () => {
    const { sessions, open } = setUp();
    const { id } = open(ann);
    expect(sessions.find(id, handler, ann)?.id).toBe(id);
    expect(sessions.find(id, handler, bob)).toBeUndefined();
  });

  it("counts the sessions of all handlers, and finds a session only with its own handler", () => {
    const { sessions, open } = setUp();
    const other = { ...handler };
    const { id } = open(ann);
    expect(sessions.open({ handler: other, principal: ann })).toMatchObject({ handler: other });
    expect(sessions.open({ handler: other, principal: ann })).toEqual({ scope: "principal", limit: 2 });
    expect(sessions.open({ handler: other, principal: bob })).toMatchObject({ handler: other });
    expect(sessions.open({ handler, principal: bob })).toEqual({ scope: "total", limit: 3 });
    expect(sessions.find(id, other, ann)).toBeUndefined();
    sessions.closeAll(other);
    expect([sessions.count(handler), sessions.count(other)]).toEqual([1, 0]);
  });

  it("refuses a session beyond the limit of the principal, and keeps room for others", () => {
    const { sessions, open } = setUp();
    const held = [open(ann), open(ann)];
    expect(sessions.open({ handler, principal: ann })).toEqual({ scope: "principal", limit: 2 });
    expect(open(bob)).toBeDefined();
    for (const { id } of held) expect(sessions.find(id, handler, ann)).toBeDefined();
  });

  it("refuses a session beyond the limit of all principals", () => {
    const { sessions, open } = setUp({ total: 2 });
    const held = [open(ann), open(bob)];
    expect(sessions.open({ handler, principal: ann })).toEqual({ scope: "total", limit: 2 });
    for (const { id, principal } of held) expect(sessions.find(id, handler, principal)).toBeDefined();
  });

  it("replaces a session that was unused for 30 minutes, beginning with the longest unused", () => {
    const { clock, sessions, open } = setUp({ perPrincipal: 3 });
    const [used, first, second] = [open(ann), open(ann), open(ann)];
    clock.advance(29 * MINUTE);
    sessions.find(used.id, handler, ann);
    expect(sessions.open({ handler, principal: ann })).toEqual({ scope: "principal", limit: 3 });
    clock.advance(MINUTE);
    open(ann);
    expect(sessions.find(first.id, handler, ann)).toBeUndefined();
    for (const { id } of [used, second]) expect(sessions.find(id, handler, ann)).toBeDefined();
  });

  it("never replaces a session with a pending call or an open stream", () => {
    const { clock, sessions, open } = setUp();
    open(ann).server.receive(call, silent);
    open(ann).push = silent;
    clock.advance(60 * MINUTE);
    expect(sessions.open({ handler, principal: ann })).toEqual({ scope: "principal", limit: 2 });
  });

  it.each([
    ["unused", () => {}],
    ["in use", (session: ReturnType<ReturnType<typeof setUp>["open"]>) => (session.push = silent)],
  ])(
    "opens sessions for the owner and a new principal even if four others have all 4000 (%s)",
    { meta: { covers: ["S33"] } },
    (_, use) => {
      const sessions = new HttpSessions(new ManualClock());
      const tokens = ["a", "b", "c", "d"].map((id): Principal => ({ id, name: id, mayApprove: false }));
      const ids = new Map<Principal, string[]>();
      for (const principal of tokens) {
        for (let count = 0; count < 1000; count++) {
          const session = sessions.open({ handler, principal });
          if ("scope" in session) throw new Error("the session was refused");
          use(session);
          ids.set(principal, [...(ids.get(principal) ?? []), session.id]);
        }
      }
      expect(sessions.open({ handler, principal: OWNER })).toHaveProperty("id");
      expect(sessions.open({ handler, principal: ann })).toHaveProperty("id");
      expect(sessions.count(handler)).toBe(4000);
      const left = tokens.map((token) => ids.get(token)!.filter((id) => sessions.find(id, handler, token)).length);
      expect(left).toEqual([999, 999, 1000, 1000]);
      expect(sessions.find(ids.get(tokens[0]!)![0]!, handler, tokens[0]!)).toBeUndefined();
      expect(sessions.open({ handler, principal: tokens[0]! })).toEqual({ scope: "total", limit: 4000 });
    },
  );

  it(
    "answers a pending call with an error if its session is closed for another principal",
    { meta: { covers: ["S33"] } },
    () => {
      const { sessions, open } = setUp({ perPrincipal: 3 });
      const sent: unknown[] = [];
      for (let count = 0; count < 3; count++) {
        const session = open(ann);
        session.server.receive(call, { send: (message) => void sent.push(message), end: () => {} });
      }
      open(bob);
      expect(sessions.count(handler)).toBe(3);
      expect(sent).toMatchObject([
        { id: 1, error: { message: expect.stringContaining("another client needed the session") as string } },
      ]);
    },
  );

  it("has room again after a session is closed", () => {
    const { sessions, open } = setUp();
    const [first] = [open(ann), open(ann)];
    sessions.close(first.id);
    expect(open(ann)).toBeDefined();
  });
});
