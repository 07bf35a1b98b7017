/**
 * Finds questions about the same thing, so that the page shows only one. Several workspaces of a folder ask them. Pure.
 */
import { canonicalJson } from "@plugboard/contracts";
import type { Question } from "@plugboard/contracts";

/** Returns one of several equal questions. Of several logins at a server, returns the one that has begun. */
export function distinctQuestions(questions: readonly Question[]): Question[] {
  return questions.filter((question) => {
    if (question.type !== "login") return sameQuestions(questions, question)[0] === question;
    const logins = questions.filter((other) => other.type === "login" && other.server === question.server);
    return question === (logins.findLast((other) => other.type === "login" && other.step) ?? logins[0]);
  });
}

/** Returns the questions that the same answer settles. Only questions about trust can be the same. */
export function sameQuestions(questions: readonly Question[], question: Question): Question[] {
  if (question.type !== "trust") return [question];
  const same = questions.filter(
    (other) =>
      other.type === "trust" &&
      other.server === question.server &&
      canonicalJson(other.definition) === canonicalJson(question.definition),
  );
  return same.includes(question) ? same : [question];
}
