import type { Question } from "@plugboard/contracts";
import { firstQuestions } from "#questions/first-questions.js";
import { describe, expect, it } from "vitest";

const questionsOf = (server: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `${server}${index}`, server }) as Question);
const ids = (questions: readonly Question[] = []) => questions.map(({ id }) => id);

describe("firstQuestions", () => {
  it("shows the first ten questions of each server, in their order", () => {
    const questions = [...questionsOf("flood", 100), ...questionsOf("quiet", 2)];
    const { shown, later } = firstQuestions(questions);
    expect(ids(shown)).toEqual([...ids(questionsOf("flood", 10)), "quiet0", "quiet1"]);
    expect([...later.keys()]).toEqual(["flood"]);
    expect(ids(later.get("flood"))).toEqual(ids(questionsOf("flood", 100).slice(10)));
  });

  it("shows all questions of a server with at most ten", () => {
    const questions = [...questionsOf("a", 10), ...questionsOf("b", 1)];
    expect(firstQuestions(questions)).toEqual({ shown: questions, later: new Map() });
  });
});
