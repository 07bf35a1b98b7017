import type { Question } from "@plugboard/contracts";
import { distinctQuestions, sameQuestions } from "#questions/distinct-questions.js";
import { describe, expect, it } from "vitest";

describe("distinctQuestions", () => {
  const trust = (id: string, command: string) =>
    ({ type: "trust", id, server: "s", owner: "workspace", definition: { command } }) as unknown as Question;
  const login = (id: string, step?: object) =>
    ({ type: "login", id, server: "s", owner: "workspace", ...(step && { step }) }) as unknown as Question;

  it("joins questions about the same definition, and answers all of them", () => {
    const questions = [trust("1", "a"), trust("2", "a"), trust("3", "b")];
    expect(distinctQuestions(questions).map(({ id }) => id)).toEqual(["1", "3"]);
    expect(sameQuestions(questions, questions[0]!).map(({ id }) => id)).toEqual(["1", "2"]);
  });

  it("shows the login that has begun", () => {
    expect(distinctQuestions([login("1"), login("2", { type: "browser" }), login("3")]).map(({ id }) => id)).toEqual([
      "2",
    ]);
    expect(distinctQuestions([login("1"), login("2")]).map(({ id }) => id)).toEqual(["1"]);
  });
});
