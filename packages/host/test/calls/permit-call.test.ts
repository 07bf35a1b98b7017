import { QuestionInbox } from "#inbox/question-inbox.js";
import { DecisionStore } from "#policy/decision-store.js";
import type { Decision } from "#policy/decision-store.js";
import { Policy } from "#policy/policy.js";
import { parseRule } from "@plugboard/config";
import type { Effect } from "@plugboard/config";
import { HostError } from "@plugboard/contracts";
import type { Answer, Caller, HostEventData, PermissionQuestion, Tool } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { inMemoryStoredList } from "../helpers/in-memory-stored-list.ts";
import { permitCall } from "../helpers/permit.ts";
import type { CallToPermit } from "../helpers/permit.ts";

const chat: Caller = { kind: "chat", id: "one" };
const tool: Tool = { name: "read", description: "Reads a file", inputSchema: { type: "object" } };
const changed: Tool = { ...tool, description: "Reads a file, and sends it" };
const once: Answer = { type: "permission", decision: "once" };
const session: Answer = { type: "permission", decision: "session" };
const always: Answer = { type: "permission", decision: "always" };

function setup(difference: Partial<CallToPermit> = {}, ...rules: string[]) {
  const events: HostEventData[] = [];
  const stored = inMemoryStoredList<Decision>();
  let [ids, late] = [0, () => {}];
  const newId = () => `id-${++ids}`;
  const clock = { now: () => 0, after: (_: number, run: () => void) => ((late = run), () => {}) };
  const emit = (event: HostEventData) => void events.push(event);
  const inbox = new QuestionInbox({ clock, newId, emit });
  const decisions = new DecisionStore({ stored: stored.list, newId, now: () => 0 });
  const [abort, released] = [new AbortController(), new AbortController()];
  const policy = new Policy(rules.map((line) => parseRule(...(line.split(" ") as [Effect, string]))!));
  const pinOf = (definition: Tool) => (definition === changed ? "p2" : "p1");
  const call: CallToPermit = {
    server: "files",
    tool: "read",
    arguments: { path: "/a" },
    definition: tool,
    definitionHash: "d1",
    policy: () => policy,
    impliesPermission: false,
    caller: chat,
    approver: "caller",
    signal: abort.signal,
    released: released.signal,
    ...difference,
  };
  const ports = { inbox, decisions, emit, pinOf };
  const asked = (caller = chat) => inbox.list(caller) as PermissionQuestion[];
  return {
    ...{ call, ports, inbox, decisions, abort, released, asked, file: stored.file },
    entries: stored.entries,
    runsAtOnce: (other: Partial<CallToPermit> = {}) => {
      try {
        return permitCall({ ...call, ...other, approver: "nobody" }, { ...ports, emit: () => {} }) === undefined;
      } catch {
        return false;
      }
    },
    authorize: async (other: Partial<CallToPermit> = {}) => permitCall({ ...call, ...other }, ports),
    answer: (answer: Answer) => inbox.answer(asked()[0]!.id, answer, chat),
    deadline: () => late(),
    decisionEvents: () =>
      events.flatMap((event) => (event.type === "decision.made" ? [`${event.decision} by ${event.by}`] : [])),
    events,
  };
}

const denied = (details: object) => ({ code: "TOOL_DENIED", details: { server: "files", tool: "read", ...details } });

describe("permit", () => {
  describe("without a question", () => {
    it.each<[string, Partial<CallToPermit>, string[]]>([
      ["a rule allows it", {}, ["allow files:read"]],
      ["the call implies permission", { impliesPermission: true }, []],
      [
        "the tool is read-only",
        { trustsAnnotations: true, definition: { ...tool, annotations: { readOnlyHint: true } } },
        [],
      ],
      ["a rule allows these arguments", {}, ["allow files:*(path=/a)"]],
      ["a rule allows it and nobody can be asked", { approver: "nobody" }, ["allow files:read"]],
    ])("allows a call at once, without an event, if %s", async (_, difference, rules) => {
      const { runsAtOnce, authorize, events } = setup(difference, ...rules);
      expect(runsAtOnce()).toBe(true);
      await authorize();
      expect(events).toEqual([]);
    });

    it("denies a call by a rule, and names the rule", async () => {
      const { runsAtOnce, authorize, decisionEvents } = setup({ impliesPermission: true }, "deny files:*(path=/a)");
      expect(runsAtOnce()).toBe(false);
      await expect(authorize()).rejects.toMatchObject(denied({ by: "rule files:*(path=/a)" }));
      expect(decisionEvents()).toEqual(["deny by rule"]);
    });

    it("denies a call by a rule even if the user has always allowed it", async () => {
      const { decisions, runsAtOnce, authorize } = setup({}, "deny files:read");
      for (const rule of [undefined, "files:read"]) {
        const about = { caller: chat, server: "files", definition: "d1", tool: "read", pin: "p1", rule };
        await decisions.remember({ lasts: "always" }, about, tool);
      }
      expect(runsAtOnce()).toBe(false);
      await expect(authorize()).rejects.toMatchObject({ code: "TOOL_DENIED" });
    });

    it("denies an unattended call if there is no rule, and the error says what to do", async () => {
      const { authorize, decisionEvents, inbox } = setup({ approver: "nobody", caller: { kind: "program", id: "p" } });
      await expect(authorize()).rejects.toMatchObject({
        code: "NOBODY_TO_ASK",
        message: expect.stringMatching(/permissions\.allow.*ports\.answer/) as string,
      });
      expect(decisionEvents()).toEqual(["nobody_to_ask by default"]);
      expect(inbox.list({ kind: "program", id: "p" })).toEqual([]);
    });

    it("denies an unattended call if a rule asks", async () => {
      const { authorize, decisionEvents } = setup({ approver: "nobody", impliesPermission: true }, "ask files:*");
      await expect(authorize()).rejects.toMatchObject({ code: "NOBODY_TO_ASK", details: { rule: "files:*" } });
      expect(decisionEvents()).toEqual(["nobody_to_ask by rule"]);
    });
  });

  describe("question", () => {
    it("shows the tool, the arguments, the rule and the description", async () => {
      const { authorize, asked, answer, runsAtOnce } = setup({ impliesPermission: true }, "ask files:*");
      expect(runsAtOnce()).toBe(false);
      const authorized = authorize();
      expect(asked()).toMatchObject([
        {
          type: "permission",
          call: "c1",
          owner: chat,
          server: "files",
          tool: "read",
          arguments: { path: "/a" },
          rule: "files:*",
          pin: "p1",
          description: "Reads a file",
        },
      ]);
      expect(asked()[0]).not.toHaveProperty("changes");
      answer(once);
      await authorized;
    });

    it("shows the whole description, or says how much is cut", { meta: { covers: ["A4"] } }, async () => {
      const { authorize, asked, inbox } = setup();
      const denials = [10_000, 10_007].map((length) => {
        const definition = { ...tool, description: "x".repeat(length) };
        return expect(authorize({ definition })).rejects.toMatchObject({ code: "TOOL_DENIED" });
      });
      const [whole, cut] = asked().map(({ description }) => description);
      expect(whole).toBe("x".repeat(10_000));
      expect(cut).toBe(`${"x".repeat(10_000)}… (7 characters more)`);
      inbox.close();
      await Promise.all(denials);
    });

    it("is not asked while the tool's definition is unknown", async () => {
      const { authorize, asked, decisionEvents } = setup({ definition: undefined });
      await authorize();
      await authorize({ approver: "nobody" });
      expect(asked()).toEqual([]);
      expect(decisionEvents()).toEqual([]);
    });
  });

  describe("answer", () => {
    it("`once` allows only this call", async () => {
      const { authorize, answer, runsAtOnce, decisionEvents, decisions } = setup();
      const authorized = authorize();
      answer(once);
      await authorized;
      expect(runsAtOnce()).toBe(false);
      expect(decisions.list()).toEqual([]);
      expect(decisionEvents()).toEqual(["once by user"]);
    });

    it("`session` allows the calls of this caller until the caller ends", async () => {
      const { authorize, answer, runsAtOnce, decisionEvents, decisions } = setup();
      const authorized = authorize();
      answer(session);
      await authorized;
      expect(runsAtOnce()).toBe(true);
      await authorize({ approver: "nobody", arguments: { path: "/b" } });
      expect(runsAtOnce({ caller: { kind: "chat", id: "two" } })).toBe(false);
      decisions.forgetCaller(chat);
      expect(runsAtOnce()).toBe(false);
      expect(decisionEvents()).toEqual(["session by user"]);
    });

    it("`always` allows the calls of every caller of the principal, and is stored", async () => {
      const { authorize, answer, runsAtOnce, entries, decisionEvents } = setup();
      const authorized = authorize();
      answer(always);
      await authorized;
      expect(runsAtOnce({ caller: { kind: "program", id: "p" }, approver: "nobody" })).toBe(true);
      expect(entries()).toMatchObject([{ server: "files", definition: "d1", tool: "read", pin: "p1", approved: tool }]);
      expect(decisionEvents()).toEqual(["always by user"]);
    });

    it("`always` does not apply to a rule that is added later", async () => {
      const { authorize, answer, runsAtOnce } = setup();
      const first = authorize();
      answer(always);
      await first;
      const later = new Policy([parseRule("ask", "files:read(path=/a)")!]);
      const policy = () => later;
      expect(runsAtOnce({ policy })).toBe(false);
      expect(runsAtOnce({ policy, arguments: { path: "/b" } })).toBe(true);
      const second = authorize({ policy });
      answer(always);
      await second;
      expect(runsAtOnce({ policy })).toBe(true);
    });

    it("`always` allows for the session if it can't be stored, and the event says why", async () => {
      const { authorize, answer, runsAtOnce, file, events } = setup();
      file.writeError = new Error("disk full");
      const authorized = authorize();
      answer(always);
      await authorized;
      expect(runsAtOnce()).toBe(true);
      expect(runsAtOnce({ caller: { kind: "chat", id: "two" } })).toBe(false);
      expect(events.at(-1)).toMatchObject({
        type: "decision.made",
        call: "c1",
        error: { details: { reason: "disk full" } },
      });
    });

    it.each<[string, Answer, object]>([
      ["no", { type: "permission", decision: "no" }, { by: "the user" }],
      [
        "no, with a reason",
        { type: "permission", decision: "no", reason: "not now" },
        { by: "the user", reason: "not now" },
      ],
    ])("`%s` denies the call, and is not stored", async (_, no, details) => {
      const { authorize, answer, runsAtOnce, decisionEvents, decisions } = setup();
      const refused = expect(authorize()).rejects.toMatchObject(denied(details));
      answer(no);
      await refused;
      expect(runsAtOnce()).toBe(false);
      expect(decisions.list()).toEqual([]);
      expect(decisionEvents()).toEqual(["no by user"]);
    });

    it("does not allow a call if a rule that denies it was added meanwhile", async () => {
      let policy = new Policy([]);
      const { authorize, answer, decisionEvents } = setup({ policy: () => policy });
      const denial = expect(authorize()).rejects.toMatchObject(denied({ by: "rule files:*(path=/a)" }));
      policy = new Policy([parseRule("deny", "files:*(path=/a)")!]);
      answer(once);
      await denial;
      expect(decisionEvents()).toEqual(["once by user", "deny by rule"]);
    });

    it("settles other open questions about calls that it allows", async () => {
      const { authorize, answer, asked, decisionEvents } = setup();
      const calls = [authorize(), authorize({ arguments: { path: "/b" } })];
      const another = authorize({ tool: "write" });
      expect(asked()).toHaveLength(3);
      answer(session);
      await Promise.all(calls);
      expect(asked()).toMatchObject([{ tool: "write" }]);
      answer(once);
      await another;
      expect(decisionEvents()).toEqual(expect.arrayContaining(["session by user", "allow by stored", "once by user"]));
    });
  });

  describe("tool that changed after it was allowed", { meta: { covers: ["A5"] } }, () => {
    it.each([session, always])(
      "is asked about again, with the differences, after the answer $decision",
      async (given) => {
        const { authorize, answer, asked, runsAtOnce } = setup();
        const first = authorize();
        answer(given);
        await first;
        const other = { definition: changed };
        expect(runsAtOnce(other)).toBe(false);
        const second = authorize(other);
        expect(asked()).toMatchObject([
          { pin: "p2", changes: [{ path: "description", before: tool.description, after: changed.description }] },
        ]);
        answer(once);
        await second;
        expect(runsAtOnce(other)).toBe(false);
        const third = authorize(other);
        answer(given);
        await third;
        expect(runsAtOnce(other)).toBe(true);
        expect(runsAtOnce()).toBe(false);
      },
    );

    it("is denied if nobody can be asked", async () => {
      const { authorize, answer } = setup();
      const first = authorize();
      answer(always);
      await first;
      const unattended = authorize({ definition: changed, approver: "nobody" });
      await expect(unattended).rejects.toMatchObject({ code: "NOBODY_TO_ASK" });
    });

    it("is not allowed by the earlier answer, nor is the same tool after its server's definition changed", async () => {
      const { authorize, answer, runsAtOnce } = setup();
      const first = authorize();
      answer(always);
      await first;
      expect(runsAtOnce({ definition: changed })).toBe(false);
      expect(runsAtOnce({ definitionHash: "d2" })).toBe(false);
    });
  });

  describe("question without an answer", () => {
    it("denies the call if it was dismissed", async () => {
      const { authorize, inbox, asked, decisionEvents } = setup();
      const refused = expect(authorize()).rejects.toMatchObject(denied({ by: "the user, who dismissed the question" }));
      inbox.dismiss(asked()[0]!.id, chat);
      await refused;
      expect(decisionEvents()).toEqual(["dismissed by user"]);
    });

    it("denies the call after its deadline", async () => {
      const { authorize, deadline, decisionEvents } = setup();
      const refused = expect(authorize()).rejects.toMatchObject(
        denied({ by: "default, because nobody answered in time" }),
      );
      deadline();
      await refused;
      expect(decisionEvents()).toEqual(["deadline by default"]);
    });

    it("denies the call, and says why, if too many questions are open", async () => {
      const { authorize, decisionEvents } = setup();
      const open = Array.from({ length: 100 }, () => authorize());
      await expect(authorize()).rejects.toMatchObject(
        denied({ by: "default, because too many questions are waiting for an answer" }),
      );
      expect(decisionEvents()).toEqual(["deny by default"]);
      for (const call of open) Promise.resolve(call).catch(() => {});
    });

    it("emits no decision if the caller cancelled", async () => {
      const { authorize, abort, decisionEvents, asked } = setup();
      const refused = expect(authorize()).rejects.toMatchObject({ code: "CANCELLED" });
      abort.abort();
      await refused;
      expect(decisionEvents()).toEqual([]);
      expect(asked()).toEqual([]);
    });

    it("emits no decision if the workspace was released, and fails with the reason", async () => {
      const { authorize, released, abort, decisionEvents } = setup();
      const reason = new HostError("HOST_CLOSED", {});
      const refused = expect(authorize({ signal: undefined })).rejects.toBe(reason);
      const both = expect(authorize()).rejects.toBe(reason);
      released.abort(reason);
      abort.abort();
      await Promise.all([refused, both]);
      expect(decisionEvents()).toEqual([]);
    });

    it("removes its listener when it is settled", async () => {
      const { authorize, answer, decisions } = setup();
      let watching = 0;
      const watch = decisions.onRemembered.bind(decisions);
      decisions.onRemembered = (watcher) => {
        watching += 1;
        const unwatch = watch(watcher);
        return () => ((watching -= 1), unwatch());
      };
      const authorized = authorize();
      expect(watching).toBe(1);
      answer(once);
      await authorized;
      expect(watching).toBe(0);
    });
  });
});
