import { checkAnswer, checkField } from "#inbox/check-answer.js";
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
const whole = field({ type: "integer" });
const yesNo = field({ type: "boolean" });
const red = { value: "r", title: "Red" };
const green = { value: "g", title: "Green" };
const blue = { value: "b", title: "Blue" };
const one = field({ type: "choice", choices: [red, green] });
const some = field({ type: "choices", choices: [red, green, blue], minItems: 1, maxItems: 2 });

describe("a value fits its field:", () => {
  it.each<[string, FormField, FormValue]>([
    ["text", text, ""],
    ["text as short as it may be", field({ type: "string", minLength: 2 }), "ab"],
    ["text as long as it may be, counted in characters", field({ type: "string", maxLength: 2 }), "😀é"],
    ["a number at its lower bound", number, 1],
    ["a number at its upper bound", number, 3],
    ["a number between", number, 2.5],
    ["a whole number", whole, -7],
    ["no", yesNo, false],
    ["a choice", one, "g"],
    ["several choices", some, ["b", "r"]],
    ["as few choices as there may be", some, ["g"]],
    ["an e-mail address", field({ type: "string", format: "email" }), "ann@example.com"],
    ["a URL", field({ type: "string", format: "uri" }), "https://example.com/x"],
    ["a date", field({ type: "string", format: "date" }), "2024-02-29"],
    ["a time", field({ type: "string", format: "date-time" }), "2026-01-31T12:00:00.5+02:00"],
    ["anything in a format that nobody knows", field({ type: "string", format: "colour" }), "red"],
    ["anything in a format that only objects have", field({ type: "string", format: "constructor" }), "red"],
  ])("%s", (_, asks, value) => {
    expect(checkField(asks, value)).toBeUndefined();
  });
});

describe("a value does not fit its field, and the reason is said:", () => {
  it.each<[string, FormField, FormValue, string]>([
    ["a number for text", text, 7, "must be text"],
    ["a list for text", text, ["a"], "must be text"],
    ["text too short", field({ type: "string", minLength: 2 }), "😀", "needs at least 2 characters"],
    ["text too long", field({ type: "string", maxLength: 1 }), "ab", "may have at most 1 characters"],
    ["text for a number", number, "2", "must be a number"],
    ["what is no number", number, Number.NaN, "must be a number"],
    ["what has no end", whole, Number.POSITIVE_INFINITY, "must be a number"],
    ["a number too small", number, 0.9, "must be at least 1"],
    ["a number too large", number, 3.1, "must be at most 3"],
    ["a part of a whole number", whole, 1.5, "must be a whole number"],
    ["text for yes or no", yesNo, "true", "must be true or false"],
    ["another choice", one, "b", "must be one of r, g"],
    ["a title for a choice", one, "Red", "must be one of r, g"],
    ["a list for one choice", one, ["r"], "must be one of r, g"],
    ["one choice for a list", some, "r", "takes any of r, g, b"],
    ["another choice in a list", some, ["r", "x"], "takes any of r, g, b"],
    ["a choice twice", some, ["r", "r"], "names a choice twice"],
    ["too few choices", some, [], "needs at least 1 choices"],
    ["too many choices", some, ["r", "g", "b"], "takes at most 2 choices"],
    ["no e-mail address", field({ type: "string", format: "email" }), "ann at example", "must be an e-mail address"],
    ["no URL", field({ type: "string", format: "uri" }), "example", "must be a URL"],
    ["no date", field({ type: "string", format: "date" }), "tomorrow", "must be a date like 2026-01-31"],
    ["a month that is none", field({ type: "string", format: "date" }), "2026-13-01", "must be a date like 2026-01-31"],
    [
      "a day that its month has not",
      field({ type: "string", format: "date" }),
      "2026-02-30",
      "must be a date like 2026-01-31",
    ],
    [
      "a time for a date",
      field({ type: "string", format: "date" }),
      "2026-01-31T12:00:00Z",
      "must be a date like 2026-01-31",
    ],
    [
      "a date for a time",
      field({ type: "string", format: "date-time" }),
      "2026-01-31",
      "must be a time like 2026-01-31T12:00:00Z",
    ],
    ...["2026-02-30T12:00:00Z", "2026-01-31T12:00", "2026-01-31T12:00:00", "2026-01-31T12:00:00+25:00"].map(
      (value): [string, FormField, FormValue, string] => [
        `the time ${value}`,
        field({ type: "string", format: "date-time" }),
        value,
        "must be a time like 2026-01-31T12:00:00Z",
      ],
    ),
    [
      "an hour that is none",
      field({ type: "string", format: "date-time" }),
      "2026-01-31T25:00:00Z",
      "must be a time like 2026-01-31T12:00:00Z",
    ],
  ])("%s", (_, asks, value, reason) => {
    expect(checkField(asks, value)).toBe(reason);
  });
});

it("only what is required must be there", () => {
  expect(checkField({ ...text, required: true }, undefined)).toBe("is required");
  expect(checkField(text, undefined)).toBeUndefined();
});

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
  const unpinned: PermissionQuestion = { type: "permission", tool: "read", arguments: {}, ...asked };
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
    ["without what is optional", form, accept({ name: "Ann" })],
    ["that declines", form, { type: "elicitation", action: "decline" }],
    ["that cancels", form, { type: "elicitation", action: "cancel" }],
    ["that agrees to a URL", url, { type: "elicitation", action: "accept" }],
    ["that permits", permission, { type: "permission", decision: "once" }],
    ["that permits for as long as the caller is there", permission, { type: "permission", decision: "session" }],
    ["that permits always", permission, { type: "permission", decision: "always" }],
    ["that permits once what is not known", unpinned, { type: "permission", decision: "once" }],
    ["that forbids", permission, { type: "permission", decision: "no", reason: "why?" }],
    ["that forbids without a reason", unpinned, { type: "permission", decision: "no" }],
    ["that trusts", trust, { type: "trust", decision: "yes" }],
    ["that does not trust", trust, { type: "trust", decision: "no" }],
    ["that lends the model", sampling, { type: "sampling", decision: "yes" }],
    ["that does not lend the model", sampling, { type: "sampling", decision: "no" }],
    ["that begins a login", login, { type: "login", action: "begin" }],
    ["that begins a login with a code", login, { type: "login", action: "begin", method: "device" }],
    [
      "that says where the browser ended",
      browser,
      { type: "login", action: "redirected", url: "http://x/?code=1&state=1" },
    ],
    ["that does not log in", login, { type: "login", action: "cancel" }],
  ])("%s is one", (_, asks, answer) => {
    expect(checkAnswer(asks, answer)).toBeUndefined();
  });

  it.each<[string, Question, Answer, string]>([
    ["without what is required", form, accept({ age: 2 }), '"name" is required'],
    ["without anything", form, { type: "elicitation", action: "accept" }, '"name" is required'],
    ["with a value that does not fit", form, accept({ name: "Ann", age: 9 }), '"age" must be at most 3'],
    ["with a field that was not asked for", form, accept({ name: "Ann", admin: true }), 'there is no field "admin"'],
    [
      "with an address that was not copied to its end",
      browser,
      { type: "login", action: "redirected", url: "http://x/?code=1" },
      "that is not whole: copy all of the address",
    ],
    [
      "with the address of another login",
      browser,
      { type: "login", action: "redirected", url: "http://x/?code=1&state=2" },
      "that belongs to another login",
    ],
    ["with content for a URL", url, accept({}), "a URL is agreed to without content"],
    [
      "to another kind of question",
      form,
      { type: "permission", decision: "once" },
      "it asks for elicitation, not permission",
    ],
    ["to another kind of question", trust, { type: "sampling", decision: "yes" }, "it asks for trust, not sampling"],
    ["to what a server asks, for a permission", permission, accept({}), "it asks for permission, not elicitation"],
    [
      "to another kind of question, though it decides",
      trust,
      { type: "permission", decision: "always" },
      "it asks for trust, not permission",
    ],
  ])("%s is none", { meta: { covers: ["A15"] } }, (_, asks, answer, reason) => {
    expect(checkAnswer(asks, answer)).toBe(reason);
  });

  it.each<[string, unknown, string]>([
    ["nothing", null, "it must be an object"],
    ["text", "yes", "it must be an object"],
    [
      "an action that nobody knows",
      { type: "elicitation", action: "yes" },
      '"action" must be accept, decline or cancel',
    ],
    ["content that is no object", { type: "elicitation", action: "accept", content: 7 }, '"content" must be an object'],
    ["content that is a list", { type: "elicitation", action: "accept", content: [] }, '"content" must be an object'],
  ])("that is %s is none", (_, answer, reason) => {
    expect(checkAnswer(form, answer as Answer)).toBe(reason);
  });

  it.each<[Question, unknown, string]>([
    [permission, { decision: "yes" }, '"decision" must be once, session, always or no'],
    [permission, { decision: "toString" }, '"decision" must be once, session, always or no'],
    [permission, {}, '"decision" must be once, session, always or no'],
    [permission, { decision: "no", reason: { not: "text" } }, '"reason" must be text'],
    [trust, { decision: "always" }, '"decision" must be yes or no'],
    [trust, {}, '"decision" must be yes or no'],
    [sampling, { decision: true }, '"decision" must be yes or no'],
    [login, { action: "accept" }, '"action" must be begin, redirected or cancel'],
    [login, { decision: "yes" }, '"action" must be begin, redirected or cancel'],
  ])("to %j that decides what nobody can decide is none: %j", (asks, answer, reason) => {
    expect(checkAnswer(asks, { type: asks.type, ...(answer as object) } as Answer)).toBe(reason);
  });

  it.each(["session", "always"] as const)(
    "that permits for %s what is not known is none",
    { meta: { covers: ["A5"] } },
    (decision) => {
      expect(checkAnswer(unpinned, { type: "permission", decision })).toBe(
        "the tool's definition is not known yet, so it can be allowed only once",
      );
    },
  );

  it.each(["toString", "constructor", "__proto__"])("must fill in a required field called %s", (name) => {
    const odd = question({ mode: "form", message: "?", fields: [{ ...text, name, required: true }] });
    expect(checkAnswer(odd, accept({}))).toBe(`"${name}" is required`);
    expect(checkAnswer(odd, accept(JSON.parse(`{"${name}": "x"}`) as { [name: string]: string }))).toBeUndefined();
    expect(checkAnswer(form, accept(JSON.parse(`{"name": "x", "${name}": "x"}`) as { [name: string]: string }))).toBe(
      `there is no field "${name}"`,
    );
  });

  it.each(["toString", "constructor", "__proto__"])("may leave out an optional field called %s", (name) => {
    const odd = question({ mode: "form", message: "?", fields: [{ ...text, name }] });
    expect(checkAnswer(odd, accept({}))).toBeUndefined();
  });
});

function question(elicitation: ElicitationQuestion["elicitation"]): ElicitationQuestion {
  return { type: "elicitation", elicitation, ...asked };
}

type Bare<Field> = Field extends FormField ? Omit<Field, "name" | "required"> : never;

function field(bare: Bare<FormField>): FormField {
  return { name: "f", required: false, ...bare };
}
