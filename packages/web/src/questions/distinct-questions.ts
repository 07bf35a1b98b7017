/** Joins questions that several workspaces of one folder ask about the same thing. Pure. */
import { canonicalJson } from "@plugboard/contracts";
import type { Question } from "@plugboard/contracts";

/** Returns one question of each kind. Of several logins at a server, the one that has begun. */
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
