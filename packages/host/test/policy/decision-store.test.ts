import { DecisionStore } from "#policy/decision-store.js";
import type { Decision } from "#policy/decision-store.js";
import { pinOf } from "#tools/pins.js";
import type { Caller, Tool } from "@plugboard/contracts";
import { describe, expect, it, vi } from "vitest";
import { inMemoryStoredList } from "../helpers/in-memory-stored-list.ts";

const chat: Caller = { kind: "chat", id: "one" };
const other: Caller = { kind: "chat", id: "two" };
const tool: Tool = { name: "read", description: "Reads a file", inputSchema: { type: "object" } };
const about = { caller: chat, server: "files", definition: "d1", tool: "read", pin: "p1" };

function open(...entries: unknown[]) {
  const stored = inMemoryStoredList<Decision>(...entries);
  let made = 0;
  const onDropped = vi.fn<(decision: { server: string; tool: string }) => void>();
  const decisions = new DecisionStore({
    stored: stored.list,
    newId: () => `d-${++made}`,
    now: () => 1000 + made,
    onDropped,
  });
  return { decisions, onDropped, ...stored };
}

describe("DecisionStore", () => {
  describe("session decision", () => {
    it("allows only its caller, until the caller ends", async () => {
      const { decisions, entries } = open();
      expect(decisions.find(about)).toBeUndefined();
      await decisions.remember({ lasts: "session" }, about, tool);
      expect(decisions.find(about)).toBe("allow");
      expect(decisions.find({ ...about, caller: other })).toBeUndefined();
      expect(decisions.find({ ...about, caller: { kind: "cli", id: "one" } })).toBeUndefined();
      expect(entries()).toEqual([]);
      decisions.forgetCaller(other);
      expect(decisions.find(about)).toBe("allow");
      decisions.forgetCaller(chat);
      expect(decisions.find(about)).toBeUndefined();
      expect(decisions.list()).toEqual([]);
    });
  });

  describe("stored decision", () => {
    it("allows every caller of its principal, also after a restart", async () => {
      const { decisions, list } = open();
      await decisions.remember({ lasts: "always" }, about, tool);
      decisions.forgetCaller(chat);
      expect(decisions.find({ ...about, caller: other })).toBe("allow");
      const next = new DecisionStore({ stored: list, newId: () => "", now: () => 0 });
      expect(next.find(about)).toBeUndefined();
      await next.reload();
      expect(next.find(about)).toBe("allow");
    });

    it("is stored with its key and its principal, and without its caller", async () => {
      const { decisions, entries } = open();
      await decisions.remember({ lasts: "always" }, { ...about, rule: "files:*" }, tool);
      const { caller: _, ...bound } = about;
      expect(entries()).toEqual([
        { id: "d-1", at: 1001, grantee: { id: "owner", name: "owner" }, ...bound, rule: "files:*", approved: tool },
      ]);
    });

    it("keeps the decisions that another process has stored meanwhile", async () => {
      const { decisions, list, entries } = open();
      await decisions.reload();
      const elsewhere = new DecisionStore({ stored: list, newId: () => "e-1", now: () => 0 });
      await elsewhere.remember({ lasts: "always" }, { ...about, tool: "write" }, tool);
      expect(decisions.find({ ...about, tool: "write" })).toBeUndefined();
      await decisions.remember({ lasts: "always" }, about, tool);
      expect(entries().map(({ id }) => id)).toEqual(["e-1", "d-1"]);
      expect(decisions.find({ ...about, tool: "write" })).toBe("allow");
    });

    it("has no effect if it can't be stored", async () => {
      const { decisions, file } = open();
      file.writeError = new Error("disk full");
      await expect(decisions.remember({ lasts: "always" }, about, tool)).rejects.toThrow("disk full");
      expect(decisions.find(about)).toBeUndefined();
    });

    it("survives a reload that started before it was stored", async () => {
      const { list, file } = open();
      let release = () => {};
      const slow = { ...list };
      const decisions = new DecisionStore({ stored: slow, newId: () => "d-1", now: () => 0 });
      slow.load = async () => {
        const old = JSON.parse(file.text) as Decision[];
        slow.load = list.load;
        await new Promise<void>((resolve) => (release = resolve));
        return old;
      };
      const reloading = decisions.reload();
      await decisions.remember({ lasts: "always" }, about, tool);
      release();
      await reloading;
      expect(decisions.find(about)).toBe("allow");
    });

    it("is deleted when there are a thousand newer decisions", async () => {
      const many = Array.from({ length: 1000 }, (_, index) => stored({ id: `old-${index}`, tool: `t${index}` }));
      const { decisions, entries } = open(...many);
      await decisions.remember({ lasts: "always" }, about, tool);
      expect(entries()).toHaveLength(1000);
      expect(entries()[0]).toMatchObject({ id: "old-1" });
      expect(entries().at(-1)).toMatchObject({ id: "d-1" });
    });
  });

  const client = (token: string, session = "1"): Caller => ({
    kind: "front",
    id: `${token}-${session}`,
    principal: { id: `token:${token}`, name: "cursor", mayApprove: true },
  });
  const find = (decisions: DecisionStore, caller: Caller) => decisions.find({ ...about, caller });

  describe("decision of a client with a token", { meta: { covers: ["S28"] } }, () => {
    it("allows, if it is stored, only the calls with that token", async () => {
      const { decisions } = open();
      await decisions.remember({ lasts: "always" }, { ...about, caller: client("a") }, tool);
      expect(find(decisions, client("a", "2"))).toBe("allow");
      for (const caller of [client("b"), chat]) expect(find(decisions, caller)).toBeUndefined();
    });

    it("is deleted when the token is revoked, and does not apply to another token of the same name", async () => {
      const { decisions, entries } = open();
      await decisions.remember({ lasts: "session" }, { ...about, caller: client("a") }, tool);
      await decisions.remember({ lasts: "always" }, { ...about, caller: client("a"), tool: "write" }, tool);
      await decisions.remember({ lasts: "session" }, { ...about, caller: client("b") }, tool);
      await decisions.remember({ lasts: "always" }, { ...about, caller: client("b") }, tool);
      await decisions.forgetPrincipal("token:a");
      expect(find(decisions, client("a"))).toBeUndefined();
      expect(decisions.list().map(({ grantee }) => grantee)).toEqual(
        [1, 2].map(() => ({ id: "token:b", name: "cursor" })),
      );
      expect(entries()).toHaveLength(1);
    });
  });

  it("applies a decision of the owner to no client with a token", { meta: { covers: ["S28"] } }, async () => {
    const { decisions } = open();
    await decisions.remember({ lasts: "always" }, about, tool);
    expect(find(decisions, client("a"))).toBeUndefined();
    // A client without a token belongs to the owner.
    expect(find(decisions, { kind: "front", id: "stdio" })).toBe("allow");
  });

  describe("decision for everyone", { meta: { covers: ["S28"] } }, () => {
    it("allows every client and the owner", async () => {
      const { decisions, entries } = open();
      await decisions.remember({ lasts: "always", to: "everyone" }, { ...about, caller: client("a") }, tool);
      for (const caller of [client("a"), client("b"), chat]) expect(find(decisions, caller)).toBe("allow");
      expect(entries()).toMatchObject([{ grantee: "everyone" }]);
    });

    it("is kept beside the client's own decision, and each can be revoked alone", async () => {
      const { decisions } = open();
      await decisions.remember({ lasts: "always", to: "everyone" }, { ...about, caller: client("a") }, tool);
      await decisions.remember({ lasts: "always" }, { ...about, caller: client("a") }, tool);
      expect(decisions.list().map(({ grantee }) => grantee)).toEqual(["everyone", { id: "token:a", name: "cursor" }]);
      await decisions.revoke("d-1");
      expect([find(decisions, client("a")), find(decisions, client("b"))]).toEqual(["allow", undefined]);
    });
  });

  it(
    "deletes the oldest decision of a client that reaches the limit, and no decision of another",
    { meta: { covers: ["S28"] } },
    async () => {
      const many = Array.from({ length: 999 }, (_, index) =>
        stored({ id: `flood-${index}`, tool: `t${index}`, grantee: { id: "token:a", name: "cursor" } }),
      );
      const { decisions, entries } = open(stored({ id: "first", grantee: { id: "owner", name: "owner" } }), ...many);
      await decisions.remember({ lasts: "always" }, { ...about, caller: client("a") }, tool);
      expect(entries()).toHaveLength(1000);
      expect(entries().map(({ id }) => id)).toContain("first");
      expect(entries().map(({ id }) => id)).not.toContain("flood-0");
    },
  );

  it("drops stored decisions that have no grantee, and reports each", { meta: { covers: ["S28"] } }, async () => {
    const { grantee: _, ...old } = stored({ id: "old", tool: "read" });
    const { decisions, entries, onDropped } = open(old, stored({ id: "new", tool: "write" }));
    await decisions.reload();
    expect(onDropped.mock.calls).toMatchObject([[{ server: "files", tool: "read" }]]);
    expect(entries().map(({ id }) => id)).toEqual(["new"]);
    await decisions.reload();
    expect(onDropped).toHaveBeenCalledTimes(1);
  });

  it(
    "keeps decisions apart whose keys differ only in where one part ends and the next begins",
    { meta: { covers: ["S31"] } },
    async () => {
      const { decisions } = open();
      await decisions.remember({ lasts: "session" }, { ...about, tool: "a", rule: "b c" }, tool);
      await decisions.remember({ lasts: "always" }, { ...about, server: "a b", definition: "c" }, tool);
      expect(decisions.find({ ...about, tool: "a b", rule: "c" })).toBeUndefined();
      expect(decisions.find({ ...about, server: "a", definition: "b c" })).toBeUndefined();
    },
  );

  describe("decision about a whole server", () => {
    const grant = { lasts: "always", covers: "server" } as const;
    const pins = { read: "p1", write: "p7" };

    it("allows the tools that the server had at that time, also after a restart", async () => {
      const { decisions, list } = open();
      await decisions.remember(grant, about, tool, pins);
      expect(decisions.list()).toMatchObject([{ server: "files", tool: "*", scope: "always" }]);
      const next = new DecisionStore({ stored: list, newId: () => "", now: () => 0 });
      await next.reload();
      for (const one of [decisions, next]) {
        expect(one.find(about)).toBe("allow");
        expect(one.find({ ...about, tool: "write", pin: "p7", caller: other })).toBe("allow");
      }
    });

    it.each([
      ["a tool that has changed", { tool: "write", pin: "p8" }],
      ["a new tool", { tool: "delete", pin: "p1" }],
      ["a tool with the name of a property of every object", { tool: "toString", pin: "p1" }],
      ["a tool that is called *", { tool: "*", pin: "p1" }],
      ["another server", { server: "files2" }],
      ["the same server with another definition", { definition: "d2" }],
      ["a rule that was added later", { rule: "files:read" }],
      ["a client with a token", { caller: client("a") }],
    ])("does not apply to %s", async (_, difference) => {
      const { decisions } = open();
      await decisions.remember(grant, about, tool, pins);
      expect(decisions.find({ ...about, ...difference })).toBeUndefined();
    });

    it("is not made by a decision about a tool that is called *", async () => {
      const { decisions } = open();
      await decisions.remember({ lasts: "always" }, { ...about, tool: "*" }, tool, pins);
      expect(decisions.find(about)).toBeUndefined();
    });

    it("is dropped if its list of tools is missing in the file", async () => {
      const { decisions, entries } = open();
      await decisions.remember(grant, about, tool, pins);
      const [{ pins: _, ...broken }] = entries() as [Decision];
      const { decisions: next } = open(broken);
      await next.reload();
      expect(next.find(about)).toBeUndefined();
      expect(next.list()).toEqual([]);
    });

    it("can be revoked", async () => {
      const { decisions } = open();
      await decisions.remember(grant, about, tool, pins);
      await decisions.revoke(decisions.list()[0]!.id);
      expect(decisions.find(about)).toBeUndefined();
    });
  });

  describe.each(["session", "always"] as const)("%s decision", (scope) => {
    it.each([
      ["another server", { server: "files2" }],
      ["the same server with another definition", { definition: "d2" }],
      ["another tool", { tool: "write" }],
      ["a rule that was added later", { rule: "files:read" }],
    ])("does not apply to %s", async (_, difference) => {
      const { decisions } = open();
      await decisions.remember({ lasts: scope }, about, tool);
      expect(decisions.find({ ...about, ...difference })).toBeUndefined();
    });

    it("applies only to the rule that asked", async () => {
      const { decisions } = open();
      await decisions.remember({ lasts: scope }, { ...about, rule: "files:*" }, tool);
      expect(decisions.find({ ...about, rule: "files:*" })).toBe("allow");
      expect(decisions.find({ ...about, rule: "files:read" })).toBeUndefined();
      expect(decisions.find(about)).toBeUndefined();
    });

    it(
      "does not apply when the tool has changed, and returns the definition that was allowed",
      { meta: { covers: ["A5"] } },
      async () => {
        const { decisions } = open();
        await decisions.remember({ lasts: scope }, about, tool);
        expect(decisions.find({ ...about, pin: "p2" })).toEqual({ changed: tool });
        expect(decisions.find(about)).toBe("allow");
      },
    );

    it("replaces the decision about the earlier definition", { meta: { covers: ["A5"] } }, async () => {
      const { decisions } = open();
      const changed = { ...tool, description: "Reads a file, and sends it" };
      await decisions.remember({ lasts: scope }, about, tool);
      await decisions.remember({ lasts: scope }, { ...about, pin: "p2" }, changed);
      expect(decisions.find({ ...about, pin: "p2" })).toBe("allow");
      expect(decisions.find(about)).toEqual({ changed });
      expect(decisions.list()).toMatchObject([{ scope, pin: "p2", approved: changed }]);
    });

    it("can be revoked", async () => {
      const { decisions, entries } = open();
      await decisions.remember({ lasts: scope }, about, tool);
      await decisions.remember({ lasts: scope }, { ...about, tool: "write" }, tool);
      const [first] = decisions.list();
      await decisions.revoke(first!.id);
      expect(decisions.find(about)).toBeUndefined();
      expect(decisions.find({ ...about, tool: "write" })).toBe("allow");
      expect(entries()).toHaveLength(scope === "always" ? 1 : 0);
      await expect(decisions.revoke(first!.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    });
  });

  it("lists stored and session decisions", async () => {
    const { decisions } = open();
    await decisions.remember({ lasts: "session" }, about, tool);
    await decisions.remember({ lasts: "always" }, about, tool);
    expect(decisions.list()).toMatchObject([
      { id: "d-2", scope: "always" },
      { id: "d-1", scope: "session", caller: chat },
    ]);
    expect(decisions.list()[0]).not.toHaveProperty("caller");
  });

  it("forgets that a revoked decision had lapsed, so that a later decision with the same id is reported again", async () => {
    const onLapsed = vi.fn<(decision: { server: string; tool: string }) => void>();
    const { list } = inMemoryStoredList<Decision>();
    const decisions = new DecisionStore({ stored: list, newId: () => "same", now: () => 0, onLapsed });
    await decisions.remember({ lasts: "always" }, about, tool);
    for (const lapsed of [true, false, undefined, true]) decisions.updateLapsed("files", () => lapsed);
    expect(onLapsed).toHaveBeenCalledOnce();
    expect(decisions.list()).toMatchObject([{ lapsed: true }]);
    await decisions.revoke("same");
    decisions.updateLapsed("another", () => undefined);
    await decisions.remember({ lasts: "session" }, about, tool);
    expect(decisions.list()).toMatchObject([{ lapsed: false }]);
    decisions.updateLapsed("files", () => true);
    expect(onLapsed).toHaveBeenCalledTimes(2);
  });

  it("calls its listeners after each decision, until they unsubscribe", async () => {
    const { decisions } = open();
    let notifications = 0;
    const unsubscribe = decisions.onRemembered(() => notifications++);
    await decisions.remember({ lasts: "session" }, about, tool);
    await decisions.remember({ lasts: "always" }, about, tool);
    expect(notifications).toBe(2);
    unsubscribe();
    await decisions.remember({ lasts: "session" }, about, tool);
    expect(notifications).toBe(2);
  });

  it("ignores invalid entries in the file", async () => {
    const odd = [null, 7, [], {}, stored({ pin: 5 }), stored({ approved: "all" }), stored({ rule: 1 })];
    const { decisions, entries } = open(...odd, stored({ tool: "write" }));
    await decisions.reload();
    expect(decisions.list()).toMatchObject([{ tool: "write" }]);
    expect(decisions.find(about)).toBeUndefined();
    await decisions.remember({ lasts: "always" }, about, tool);
    expect(entries()).toHaveLength(2);
  });

  describe("pin", { meta: { covers: ["A5"] } }, () => {
    it("is equal for equal definitions, whatever the order of keys", () => {
      expect(pinOf(tool)).toBe(pinOf(tool));
      expect(pinOf({ inputSchema: { type: "object" }, description: "Reads a file", name: "read" })).toBe(pinOf(tool));
    });

    it.each<[string, Partial<Tool>]>([
      ["description", { description: "Reads a file, and sends it" }],
      ["title", { title: "Read" }],
      ["input schema", { inputSchema: { type: "object", properties: { to: {} } } }],
      ["output schema", { outputSchema: { type: "object" } }],
      ["annotations", { annotations: { readOnlyHint: true } }],
    ])("differs for another %s", (_, difference) => {
      expect(pinOf({ ...tool, ...difference })).not.toBe(pinOf(tool));
    });
  });
});

function stored(difference: object) {
  const { caller: _, ...bound } = about;
  return { id: "s", at: 0, grantee: { id: "owner", name: "owner" }, ...bound, approved: tool, ...difference };
}
