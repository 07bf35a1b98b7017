import { DecisionStore } from "#policy/decision-store.js";
import type { Decision } from "#policy/decision-store.js";
import { Pins } from "#tools/pins.js";
import type { Caller, Tool } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { inMemoryStoredList } from "../helpers/in-memory-stored-list.ts";

const chat: Caller = { kind: "chat", id: "one" };
const other: Caller = { kind: "chat", id: "two" };
const tool: Tool = { name: "read", description: "Reads a file", inputSchema: { type: "object" } };
const about = { caller: chat, server: "files", definition: "d1", tool: "read", pin: "p1" };

function open(...entries: unknown[]) {
  const stored = inMemoryStoredList<Decision>(...entries);
  let made = 0;
  const decisions = new DecisionStore({ stored: stored.list, newId: () => `d-${++made}`, now: () => 1000 + made });
  return { decisions, ...stored };
}

describe("DecisionStore", () => {
  describe("session decision", () => {
    it("allows only its caller, until the caller ends", async () => {
      const { decisions, entries } = open();
      expect(decisions.find(about)).toBeUndefined();
      await decisions.remember("session", about, tool);
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
    it("allows every caller, also after a restart", async () => {
      const { decisions, list } = open();
      await decisions.remember("always", about, tool);
      decisions.forgetCaller(chat);
      expect(decisions.find({ ...about, caller: other })).toBe("allow");
      const next = new DecisionStore({ stored: list, newId: () => "", now: () => 0 });
      expect(next.find(about)).toBeUndefined();
      await next.reload();
      expect(next.find(about)).toBe("allow");
    });

    it("is stored with its key and without its caller", async () => {
      const { decisions, entries } = open();
      await decisions.remember("always", { ...about, rule: "files:*" }, tool);
      const { caller: _, ...bound } = about;
      expect(entries()).toEqual([{ id: "d-1", at: 1001, ...bound, rule: "files:*", approved: tool }]);
    });

    it("keeps the decisions that another process has stored meanwhile", async () => {
      const { decisions, list, entries } = open();
      await decisions.reload();
      const elsewhere = new DecisionStore({ stored: list, newId: () => "e-1", now: () => 0 });
      await elsewhere.remember("always", { ...about, tool: "write" }, tool);
      expect(decisions.find({ ...about, tool: "write" })).toBeUndefined();
      await decisions.remember("always", about, tool);
      expect(entries().map(({ id }) => id)).toEqual(["e-1", "d-1"]);
      expect(decisions.find({ ...about, tool: "write" })).toBe("allow");
    });

    it("has no effect if it can't be stored", async () => {
      const { decisions, file } = open();
      file.writeError = new Error("disk full");
      await expect(decisions.remember("always", about, tool)).rejects.toThrow("disk full");
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
      await decisions.remember("always", about, tool);
      release();
      await reloading;
      expect(decisions.find(about)).toBe("allow");
    });

    it("is deleted after a thousand newer decisions", async () => {
      const many = Array.from({ length: 1000 }, (_, index) => stored({ id: `old-${index}`, tool: `t${index}` }));
      const { decisions, entries } = open(...many);
      await decisions.remember("always", about, tool);
      expect(entries()).toHaveLength(1000);
      expect(entries()[0]).toMatchObject({ id: "old-1" });
      expect(entries().at(-1)).toMatchObject({ id: "d-1" });
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
      await decisions.remember(scope, about, tool);
      expect(decisions.find({ ...about, ...difference })).toBeUndefined();
    });

    it("applies only to the rule that asked", async () => {
      const { decisions } = open();
      await decisions.remember(scope, { ...about, rule: "files:*" }, tool);
      expect(decisions.find({ ...about, rule: "files:*" })).toBe("allow");
      expect(decisions.find({ ...about, rule: "files:read" })).toBeUndefined();
      expect(decisions.find(about)).toBeUndefined();
    });

    it(
      "does not apply when the tool has changed, and returns the definition that was allowed",
      { meta: { covers: ["A5"] } },
      async () => {
        const { decisions } = open();
        await decisions.remember(scope, about, tool);
        expect(decisions.find({ ...about, pin: "p2" })).toEqual({ changed: tool });
        expect(decisions.find(about)).toBe("allow");
      },
    );

    it("replaces the decision about the earlier definition", { meta: { covers: ["A5"] } }, async () => {
      const { decisions } = open();
      const changed = { ...tool, description: "Reads a file, and sends it" };
      await decisions.remember(scope, about, tool);
      await decisions.remember(scope, { ...about, pin: "p2" }, changed);
      expect(decisions.find({ ...about, pin: "p2" })).toBe("allow");
      expect(decisions.find(about)).toEqual({ changed });
      expect(decisions.list()).toMatchObject([{ scope, pin: "p2", approved: changed }]);
    });

    it("can be revoked", async () => {
      const { decisions, entries } = open();
      await decisions.remember(scope, about, tool);
      await decisions.remember(scope, { ...about, tool: "write" }, tool);
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
    await decisions.remember("session", about, tool);
    await decisions.remember("always", about, tool);
    expect(decisions.list()).toMatchObject([
      { id: "d-2", scope: "always" },
      { id: "d-1", scope: "session", caller: chat },
    ]);
    expect(decisions.list()[0]).not.toHaveProperty("caller");
  });

  it("calls its listeners after each decision, until they unsubscribe", async () => {
    const { decisions } = open();
    let notifications = 0;
    const unsubscribe = decisions.onChange(() => notifications++);
    await decisions.remember("session", about, tool);
    await decisions.remember("always", about, tool);
    expect(notifications).toBe(2);
    unsubscribe();
    await decisions.remember("session", about, tool);
    expect(notifications).toBe(2);
  });

  it("ignores invalid entries in the file", async () => {
    const odd = [null, 7, [], {}, stored({ pin: 5 }), stored({ approved: "all" }), stored({ rule: 1 })];
    const { decisions, entries } = open(...odd, stored({ tool: "write" }));
    await decisions.reload();
    expect(decisions.list()).toMatchObject([{ tool: "write" }]);
    expect(decisions.find(about)).toBeUndefined();
    await decisions.remember("always", about, tool);
    expect(entries()).toHaveLength(2);
  });

  describe("pin", { meta: { covers: ["A5"] } }, () => {
    const pins = new Pins();

    it("is equal for equal definitions, whatever the order of keys", () => {
      expect(pins.pinOf(tool)).toBe(pins.pinOf(tool));
      expect(pins.pinOf({ inputSchema: { type: "object" }, description: "Reads a file", name: "read" })).toBe(
        pins.pinOf(tool),
      );
    });

    it.each<[string, Partial<Tool>]>([
      ["description", { description: "Reads a file, and sends it" }],
      ["title", { title: "Read" }],
      ["input schema", { inputSchema: { type: "object", properties: { to: {} } } }],
      ["output schema", { outputSchema: { type: "object" } }],
      ["annotations", { annotations: { readOnlyHint: true } }],
    ])("differs for another %s", (_, difference) => {
      expect(pins.pinOf({ ...tool, ...difference })).not.toBe(pins.pinOf(tool));
    });
  });
});

function stored(difference: object): object {
  const { caller: _, ...bound } = about;
  return { id: "s", at: 0, ...bound, approved: tool, ...difference };
}
