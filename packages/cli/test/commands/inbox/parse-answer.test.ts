import { parseAnswer } from "#commands/inbox/parse-answer.js";
import type { FormField, Question } from "@plugboard/contracts";
import { describe, expect, it } from "vitest";

const base = { id: "q", owner: "workspace", server: "s", askedAt: 0, deadline: 1 } as const;
const fields: FormField[] = [
  { type: "string", name: "name", required: true },
  { type: "integer", name: "age", required: false },
  { type: "boolean", name: "tea", required: false, default: true },
];
const permission: Question = { ...base, type: "permission", call: "c1", tool: "t", arguments: {} };
const form: Question = { ...base, type: "elicitation", elicitation: { mode: "form", message: "?", fields } };
const page: Question = { ...base, type: "elicitation", elicitation: { mode: "url", message: "?", url: "http://a/" } };
const sampling: Question = { ...base, type: "sampling", request: {} };
const login: Question = { ...base, type: "login", reason: "first" };
const step = { type: "browser", url: "http://a/", redirectUri: "http://b/" } as const;

describe("parseAnswer", () => {
  it.each<[string, Question, string, object | "dismiss"]>([
    ["a permission", permission, "always", { type: "permission", decision: "always" }],
    ["a permission by yes", permission, "y", { type: "permission", decision: "once" }],
    ["a permission by the letter of the prompt", permission, "s", { type: "permission", decision: "session" }],
    ["a denial with a reason", permission, "no not now", { type: "permission", decision: "no", reason: "not now" }],
    ["a form", form, "name=Ann=1 age=7", { action: "accept", content: { name: "Ann=1", age: 7, tea: true } }],
    ["a permission for every client", permission, "everyone", { decision: "always", for: "everyone" }],
    ["a declined form", form, "decline", { type: "elicitation", action: "decline" }],
    ["a page", page, "accept", { type: "elicitation", action: "accept" }],
    ["a sampling request", sampling, "no", { type: "sampling", decision: "no" }],
    ["a login", login, "begin", { type: "login", action: "begin" }],
    ["a login step", { ...login, step }, "http://b/?code=1", { type: "login", action: "redirected" }],
    ["any question", permission, "dismiss", "dismiss"],
  ])("parses the answer to %s", (_, question, words, answer) => {
    const parsed = parseAnswer(question, words.split(" "));
    if (answer === "dismiss") expect(parsed).toBe("dismiss");
    else expect(parsed).toMatchObject(answer);
  });

  it.each<[Question, string, string]>([
    [permission, "once twice", "once, session, always, everyone, server or no"],
    [form, "age=7", "name is required"],
    [form, "name=Ann age=old", "age must be a number"],
    [form, "name=Ann size=1", "no field size"],
    [form, "Ann", "field=value"],
    [page, "yes", "accept or decline"],
    [sampling, "maybe", "yes or no"],
    [login, "http://b/?code=1", "begin or cancel"],
  ])("rejects words that don't answer the question", (question, words, problem) => {
    expect(() => parseAnswer(question, words.split(" "))).toThrow(problem);
  });
});
