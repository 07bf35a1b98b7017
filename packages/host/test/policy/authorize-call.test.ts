import { QuestionInbox } from "#inbox/question-inbox.js";
import { DecisionStore } from "#policy/decision-store.js";
import type { Decision } from "#policy/decision-store.js";
import { authorizeCall, isPreauthorized } from "#policy/authorize-call.js";
import type { CallToAuthorize } from "#policy/authorize-call.js";
import { Policy } from "#policy/policy.js";
import { parseRule } from "#policy/rule.js";
import type { Effect } from "#policy/rule.js";
import type { Answer, Caller, HostEventData, PermissionQuestion, Tool } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";
import { inMemoryStoredList } from "../helpers/in-memory-stored-list.ts";

const chat: Caller = { kind: "chat", id: "one" };
const tool: Tool = { name: "read", description: "Reads a file", inputSchema: { type: "object" } };
const changed: Tool = { ...tool, description: "Reads a file, and sends it" };
const once: Answer = { type: "permission", decision: "once" };
const session: Answer = { type: "permission", decision: "session" };
const always: Answer = { type: "permission", decision: "always" };

function scene(difference: Partial<CallToAuthorize> = {}, ...rules: string[]) {
  const facts: HostEventData[] = [];
  const stored = inMemoryStoredList<Decision>();
  let [ids, late] = [0, () => {}];
  const newId = () => `id-${++ids}`;
  const clock = { now: () => 0, after: (_: number, run: () => void) => ((late = run), () => {}) };
  const emit = (fact: HostEventData) => void facts.push(fact);
  const inbox = new QuestionInbox({ clock, newId, emit });
  const decisions = new DecisionStore({ stored: stored.list, newId, now: () => 0 });
  const [abort, released] = [new AbortController(), new AbortController()];
  const call: CallToAuthorize = {
    server: "files",
    tool: "read",
    arguments: { path: "/a" },
    definition: tool,
    pin: "p1",
    definitionHash: "d1",
    policy: new Policy(rules.map((line) => parseRule(...(line.split(" ") as [Effect, string]))!)),
    defaults: { ownConsent: false },
    caller: chat,
    attended: true,
    signal: abort.signal,
    released: released.signal,
    ...difference,
  };
  const ports = { inbox, decisions, emit };
  const asked = (caller = chat) => inbox.list(caller) as PermissionQuestion[];
  return {
    ...{ call, ports, inbox, decisions, abort, released, asked, file: stored.file },
    entries: stored.entries,
    now: (other: Partial<CallToAuthorize> = {}) => isPreauthorized({ ...call, ...other }, ports),
    permit: (other: Partial<CallToAuthorize> = {}) => authorizeCall({ ...call, ...other }, ports),
    answer: (answer: Answer) => inbox.answer(asked()[0]!.id, answer, chat),
    deadline: () => late(),
    made: () => facts.flatMap((fact) => (fact.type === "decision.made" ? [`${fact.decision} by ${fact.by}`] : [])),
    facts,
  };
}

const denied = (details: object) => ({ code: "TOOL_DENIED", details: { server: "files", tool: "read", ...details } });

describe("without asking", () => {
  it.each<[string, Partial<CallToAuthorize>, string[]]>([
    ["a rule allows it", {}, ["allow files:read"]],
    ["it is its own consent", { defaults: { ownConsent: true } }, []],
    ["it is harmless", { defaults: { ownConsent: false, readOnly: true } }, []],
    ["a rule allows these arguments", {}, ["allow files:*(path=/a)"]],
    ["a rule allows it and nobody is there", { attended: false }, ["allow files:read"]],
  ])("a call may run if %s, and that is not told each time", async (_, difference, rules) => {
    const { now, permit, facts } = scene(difference, ...rules);
    expect(now()).toBe(true);
    await permit();
    expect(facts).toEqual([]);
  });

  it("a call is denied by a rule, which is named", async () => {
    const { now, permit, made } = scene({ defaults: { ownConsent: true } }, "deny files:*(path=/a)");
    expect(now()).toBe(false);
    await expect(permit()).rejects.toMatchObject(denied({ by: "rule files:*(path=/a)" }));
    expect(made()).toEqual(["deny by rule"]);
  });

  it("a denial holds against what was allowed for good", async () => {
    const { decisions, now, permit } = scene({}, "deny files:read");
    for (const rule of [undefined, "files:read"]) {
      const about = { caller: chat, server: "files", definition: "d1", tool: "read", pin: "p1", rule };
      await decisions.remember("always", about, tool);
    }
    expect(now()).toBe(false);
    await expect(permit()).rejects.toMatchObject({ code: "TOOL_DENIED" });
  });

  it("a call that must be asked about is denied where nobody is there, and the error names the ways out", async () => {
    const { permit, made, inbox } = scene({ attended: false, caller: { kind: "program", id: "p" } });
    await expect(permit()).rejects.toMatchObject({
      code: "NOBODY_TO_ASK",
      message: expect.stringMatching(/permissions\.allow.*ports\.answer/) as string,
    });
    expect(made()).toEqual(["nobody to ask by default"]);
    expect(inbox.list({ kind: "program", id: "p" })).toEqual([]);
  });

  it("a call that a rule asks about is denied where nobody is there", async () => {
    const { permit, made } = scene({ attended: false, defaults: { ownConsent: true } }, "ask files:*");
    await expect(permit()).rejects.toMatchObject({ code: "NOBODY_TO_ASK" });
    expect(made()).toEqual(["nobody to ask by rule"]);
  });
});

describe("the question", () => {
  it("says what is called, by which rule it is asked, and what the tool is", async () => {
    const { permit, asked, answer, now } = scene({ defaults: { ownConsent: true } }, "ask files:*");
    expect(now()).toBe(false);
    const permitted = permit();
    expect(asked()).toMatchObject([
      {
        type: "permission",
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
    await permitted;
  });

  it("has the whole description, or says how much is missing", { meta: { covers: ["A4"] } }, async () => {
    const { permit, asked, inbox } = scene();
    const denials = [10_000, 10_007].map((length) => {
      const definition = { ...tool, description: "x".repeat(length) };
      return expect(permit({ definition })).rejects.toMatchObject({ code: "TOOL_DENIED" });
    });
    const [whole, cut] = asked().map(({ description }) => description);
    expect(whole).toBe("x".repeat(10_000));
    expect(cut).toBe(`${"x".repeat(10_000)}… (7 characters more)`);
    inbox.close();
    await Promise.all(denials);
  });

  it("of a tool that is not known yet has no pin, so that it can be answered only once", async () => {
    const { permit, asked, answer, decisions } = scene({ definition: undefined, pin: undefined });
    const permitted = permit();
    expect(asked()[0]).not.toHaveProperty("pin");
    expect(() => answer(always)).toThrow(expect.objectContaining({ code: "ANSWER_INVALID" }) as Error);
    answer(once);
    await permitted;
    expect(decisions.list()).toEqual([]);
  });
});

describe("the answer", () => {
  it("once permits this call and no other", async () => {
    const { permit, answer, now, made, decisions } = scene();
    const permitted = permit();
    answer(once);
    await permitted;
    expect(now()).toBe(false);
    expect(decisions.list()).toEqual([]);
    expect(made()).toEqual(["once by user"]);
  });

  it("for the session permits the calls of this caller until they end", async () => {
    const { permit, answer, now, made, decisions } = scene();
    const permitted = permit();
    answer(session);
    await permitted;
    expect(now()).toBe(true);
    await permit({ attended: false, arguments: { path: "/b" } });
    expect(now({ caller: { kind: "chat", id: "two" } })).toBe(false);
    decisions.forgetCaller(chat);
    expect(now()).toBe(false);
    expect(made()).toEqual(["session by user"]);
  });

  it("always permits the calls of everybody, and is stored", async () => {
    const { permit, answer, now, entries, made } = scene();
    const permitted = permit();
    answer(always);
    await permitted;
    expect(now({ caller: { kind: "program", id: "p" }, attended: false })).toBe(true);
    expect(entries()).toMatchObject([{ server: "files", definition: "d1", tool: "read", pin: "p1", approved: tool }]);
    expect(made()).toEqual(["always by user"]);
  });

  it("always does not answer a rule that is written later, which asks until it is answered itself", async () => {
    const { permit, answer, now } = scene();
    const first = permit();
    answer(always);
    await first;
    const policy = new Policy([parseRule("ask", "files:read(path=/a)")!]);
    expect(now({ policy })).toBe(false);
    expect(now({ policy, arguments: { path: "/b" } })).toBe(true);
    const second = permit({ policy });
    answer(always);
    await second;
    expect(now({ policy })).toBe(true);
  });

  it("always permits for the session if it can't be stored, and the fact says why", async () => {
    const { permit, answer, now, file, facts } = scene();
    file.broken = new Error("disk full");
    const permitted = permit();
    answer(always);
    await permitted;
    expect(now()).toBe(true);
    expect(now({ caller: { kind: "chat", id: "two" } })).toBe(false);
    expect(facts.at(-1)).toMatchObject({ type: "decision.made", error: { details: { what: "disk full" } } });
  });

  it.each<[string, Answer, object]>([
    ["no", { type: "permission", decision: "no" }, { by: "the user" }],
    [
      "no, with a reason",
      { type: "permission", decision: "no", reason: "not now" },
      { by: "the user", reason: "not now" },
    ],
  ])("%s denies it, and is not remembered", async (_, no, details) => {
    const { permit, answer, now, made, decisions } = scene();
    const refused = expect(permit()).rejects.toMatchObject(denied(details));
    answer(no);
    await refused;
    expect(now()).toBe(false);
    expect(decisions.list()).toEqual([]);
    expect(made()).toEqual(["no by user"]);
  });

  it("for one question of several alike settles the others", async () => {
    const { permit, answer, asked, made } = scene();
    const calls = [permit(), permit({ arguments: { path: "/b" } })];
    const another = permit({ tool: "write" });
    expect(asked()).toHaveLength(3);
    answer(session);
    await Promise.all(calls);
    expect(asked()).toMatchObject([{ tool: "write" }]);
    answer(once);
    await another;
    expect(made()).toEqual(expect.arrayContaining(["session by user", "allow by stored", "once by user"]));
  });
});

describe("a tool that has changed since it was allowed", { meta: { covers: ["A5"] } }, () => {
  it.each([session, always])("is asked about again, with what is different: %j", async (given) => {
    const { permit, answer, asked, now } = scene();
    const first = permit();
    answer(given);
    await first;
    const other = { definition: changed, pin: "p2" };
    expect(now(other)).toBe(false);
    const second = permit(other);
    expect(asked()).toMatchObject([
      { pin: "p2", changes: [{ path: "description", before: tool.description, after: changed.description }] },
    ]);
    answer(once);
    await second;
    expect(now(other)).toBe(false);
    const third = permit(other);
    answer(given);
    await third;
    expect(now(other)).toBe(true);
    expect(now()).toBe(false);
  });

  it("is denied where nobody is there", async () => {
    const { permit, answer } = scene();
    const first = permit();
    answer(always);
    await first;
    const unattended = permit({ definition: changed, pin: "p2", attended: false });
    await expect(unattended).rejects.toMatchObject({ code: "NOBODY_TO_ASK" });
  });

  it("is not the one that was allowed, and neither is one of a server that is defined differently", async () => {
    const { permit, answer, now } = scene();
    const first = permit();
    answer(always);
    await first;
    expect(now({ definition: changed, pin: "p2" })).toBe(false);
    expect(now({ definitionHash: "d2" })).toBe(false);
  });
});

describe("no answer", () => {
  it("because it was dismissed is a denial", async () => {
    const { permit, inbox, asked, made } = scene();
    const refused = expect(permit()).rejects.toMatchObject(denied({ by: "the user, who dismissed the question" }));
    inbox.dismiss(asked()[0]!.id, chat);
    await refused;
    expect(made()).toEqual(["dismissed by user"]);
  });

  it("in time is a denial", async () => {
    const { permit, deadline, made } = scene();
    const refused = expect(permit()).rejects.toMatchObject(denied({ by: "nobody's answer in time" }));
    deadline();
    await refused;
    expect(made()).toEqual(["deadline by default"]);
  });

  it("because the caller gave up is no decision", async () => {
    const { permit, abort, made, asked } = scene();
    const refused = expect(permit()).rejects.toMatchObject({ code: "CANCELLED" });
    abort.abort();
    await refused;
    expect(made()).toEqual([]);
    expect(asked()).toEqual([]);
  });

  it("because the workspace was let go is no decision", async () => {
    const { permit, released, abort, made } = scene();
    const refused = expect(permit({ signal: undefined })).rejects.toMatchObject({ code: "HOST_CLOSED" });
    const both = expect(permit()).rejects.toMatchObject({ code: "HOST_CLOSED" });
    released.abort();
    abort.abort();
    await Promise.all([refused, both]);
    expect(made()).toEqual([]);
  });

  it("leaves nobody listening", async () => {
    const { permit, answer, decisions } = scene();
    let watching = 0;
    const watch = decisions.onChange.bind(decisions);
    decisions.onChange = (watcher) => {
      watching += 1;
      const unwatch = watch(watcher);
      return () => ((watching -= 1), unwatch());
    };
    const permitted = permit();
    expect(watching).toBe(1);
    answer(once);
    await permitted;
    expect(watching).toBe(0);
  });
});
