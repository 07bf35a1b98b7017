import { checkQuestionAnswer } from "#inbox/check-question-answer.js";
import type {
  Answer,
  ElicitationQuestion,
  FormField,
  FormValue,
  PermissionQuestion,
  Question,
} from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const asked = { id: "q", owner: "workspace", server: "files", askedAt: 0, deadline: 1 } as const;
const text = field({ type: "string" });
const number = field({ type: "number", minimum: 1, maximum: 3 });

describe("checkQuestionAnswer", () => {
  describe("an answer", () => {
    const form = question({
      mode: "form",
      message: "?",
      fields: [
        { ...text, name: "name", required: true },
        { ...number, name: "age" },
      ],
    });
    const url = question({ mode: "url", message: "?", url: "https://x" });
    const unpinned: PermissionQuestion = { type: "permission", call: "c1", tool: "read", arguments: {}, ...asked };
    const permission: PermissionQuestion = { ...unpinned, pin: "5eed" };
    const sampling: Question = { type: "sampling", request: {}, ...asked };
    const login: Question = { type: "login", reason: "first", ...asked };
    const browser: Question = {
      ...login,
      step: { type: "browser", url: "https://x?state=1", redirectUri: "http://127.0.0.1:1/callback" },
    };
    const trust: Question = {
      type: "trust",
      source: "project",
      folder: "/work",
      transport: "stdio",
      definition: { command: "x" },
      variables: ["KEY"],
      ...asked,
    };
    const accept = (content: { [name: string]: FormValue }): Answer => ({
      type: "elicitation",
      action: "accept",
      content,
    });

    it.each<[string, Question, Answer]>([
      ["with all fields", form, accept({ name: "Ann", age: 2 })],
      ["without the optional fields", form, accept({ name: "Ann" })],
      ["that declines", form, { type: "elicitation", action: "decline" }],
      ["that cancels", form, { type: "elicitation", action: "cancel" }],
      ["that accepts a URL", url, { type: "elicitation", action: "accept" }],
      ["that allows once", permission, { type: "permission", decision: "once" }],
      ["that allows for the session", permission, { type: "permission", decision: "session" }],
      ["that allows always", permission, { type: "permission", decision: "always" }],
      ["that allows an unknown tool once", unpinned, { type: "permission", decision: "once" }],
      ["that denies with a reason", permission, { type: "permission", decision: "no", reason: "why?" }],
      ["that denies without a reason", unpinned, { type: "permission", decision: "no" }],
      ["that trusts", trust, { type: "trust", decision: "yes" }],
      ["that does not trust", trust, { type: "trust", decision: "no" }],
      ["that allows sampling", sampling, { type: "sampling", decision: "yes" }],
      ["that denies sampling", sampling, { type: "sampling", decision: "no" }],
      ["that starts a login", login, { type: "login", action: "begin" }],
      ["that starts a device login", login, { type: "login", action: "begin", method: "device" }],
      ["with a redirect URL", browser, { type: "login", action: "redirected", url: "http://x/?code=1&state=1" }],
      ["that cancels a login", login, { type: "login", action: "cancel" }],
    ])("accepts an answer %s", (_, asks, answer) => {
      expect(checkQuestionAnswer(asks, answer)).toBeUndefined();
    });

    it.each<[string, Question, Answer, string]>([
      ["without a required field", form, accept({ age: 2 }), '"name" is required'],
      ["without content", form, { type: "elicitation", action: "accept" }, '"name" is required'],
      ["with an invalid value", form, accept({ name: "Ann", age: 9 }), '"age" must be at most 3'],
      ["with an unknown field", form, accept({ name: "Ann", admin: true }), 'there is no field "admin"'],
      [
        "with an incomplete redirect URL",
        browser,
        { type: "login", action: "redirected", url: "http://x/?code=1" },
        "the URL is incomplete: copy the whole address",
      ],
      [
        "with the redirect URL of another login",
        browser,
        { type: "login", action: "redirected", url: "http://x/?code=1&state=2" },
        "the URL belongs to another login",
      ],
      ["with content for a URL elicitation", url, accept({}), "an answer to a URL has no content"],
      [
        "of type permission to an elicitation question",
        form,
        { type: "permission", decision: "once" },
        "the question is of type elicitation, not permission",
      ],
      [
        "of type sampling to a trust question",
        trust,
        { type: "sampling", decision: "yes" },
        "the question is of type trust, not sampling",
      ],
      [
        "of type elicitation to a permission question",
        permission,
        accept({}),
        "the question is of type permission, not elicitation",
      ],
      [
        "of another type with a valid decision",
        trust,
        { type: "permission", decision: "always" },
        "the question is of type trust, not permission",
      ],
    ])("rejects an answer %s", { meta: { covers: ["A15"] } }, (_, asks, answer, reason) => {
      expect(checkQuestionAnswer(asks, answer)).toBe(reason);
    });

    it.each<[string, unknown, string]>([
      ["null", null, "it must be an object"],
      ["text", "yes", "it must be an object"],
      ["an unknown action", { type: "elicitation", action: "yes" }, '"action" must be accept, decline or cancel'],
      ["text as content", { type: "elicitation", action: "accept", content: 7 }, '"content" must be an object'],
      ["a list as content", { type: "elicitation", action: "accept", content: [] }, '"content" must be an object'],
    ])("rejects an answer with an invalid part: %s", (_, answer, reason) => {
      expect(checkQuestionAnswer(form, answer as Answer)).toBe(reason);
    });

    it("rejects the answer `server` for the host's own tools", () => {
      const native = { ...permission, server: "native", pin: "p" } as Question;
      const answer: Answer = { type: "permission", decision: "server" };
      expect(checkQuestionAnswer(native, answer)).toBe("the tools of this server can't be allowed together");
      expect(checkQuestionAnswer({ ...native, server: "files" }, answer)).toBeUndefined();
    });

    it.each<[Question["type"], unknown, Question, string]>([
      ["permission", { decision: "yes" }, permission, '"decision" must be once, session, always, server or no'],
      ["permission", { decision: "toString" }, permission, '"decision" must be once, session, always, server or no'],
      ["permission", {}, permission, '"decision" must be once, session, always, server or no'],
      ["permission", { decision: "no", reason: { not: "text" } }, permission, '"reason" must be text'],
      ["trust", { decision: "always" }, trust, '"decision" must be yes or no'],
      ["trust", {}, trust, '"decision" must be yes or no'],
      ["sampling", { decision: true }, sampling, '"decision" must be yes or no'],
      ["login", { action: "accept" }, login, '"action" must be begin, redirected or cancel'],
      ["login", { decision: "yes" }, login, '"action" must be begin, redirected or cancel'],
    ])("rejects an invalid answer to a %s question: %j", (_, answer, asks, reason) => {
      expect(checkQuestionAnswer(asks, { type: asks.type, ...(answer as object) } as Answer)).toBe(reason);
    });

    it.each(["session", "always"] as const)(
      "rejects the answer %s for a tool whose definition is unknown",
      { meta: { covers: ["A5"] } },
      (decision) => {
        expect(checkQuestionAnswer(unpinned, { type: "permission", decision })).toBe(
          "the tool's definition is not known yet, so answer once or no",
        );
      },
    );

    it.each(["toString", "constructor", "__proto__"])("rejects a missing required field named %s", (name) => {
      const odd = question({ mode: "form", message: "?", fields: [{ ...text, name, required: true }] });
      expect(checkQuestionAnswer(odd, accept({}))).toBe(`"${name}" is required`);
      expect(
        checkQuestionAnswer(odd, accept(JSON.parse(`{"${name}": "x"}`) as { [name: string]: string })),
      ).toBeUndefined();
      expect(
        checkQuestionAnswer(form, accept(JSON.parse(`{"name": "x", "${name}": "x"}`) as { [name: string]: string })),
      ).toBe(`there is no field "${name}"`);
    });

    it.each(["toString", "constructor", "__proto__"])("accepts a missing optional field named %s", (name) => {
      const odd = question({ mode: "form", message: "?", fields: [{ ...text, name }] });
      expect(checkQuestionAnswer(odd, accept({}))).toBeUndefined();
    });
  });
});

function question(elicitation: ElicitationQuestion["elicitation"]): ElicitationQuestion {
  return { type: "elicitation", elicitation, ...asked };
}

type Bare<Field> = Field extends FormField ? Omit<Field, "name" | "required"> : never;

function field(bare: Bare<FormField>): FormField {
  return { name: "f", required: false, ...bare };
}
