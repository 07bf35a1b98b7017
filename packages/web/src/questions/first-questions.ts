/**
 * Chooses the questions to draw. A server can ask a hundred at once, with long forms. They would keep the browser busy
 * and push the questions of other servers out of sight. Pure.
 */
import type { Question } from "@plugboard/contracts";

const MAX_PER_SERVER = 10;

export interface FirstQuestions {
  readonly shown: readonly Question[];
  /** The other questions of each server. They are shown when the first ones are answered. */
  readonly later: ReadonlyMap<string, readonly Question[]>;
}

export function firstQuestions(questions: readonly Question[]): FirstQuestions {
  const counts = new Map<string, number>();
  const later = new Map<string, Question[]>();
  const shown = questions.filter((question) => {
    const { server } = question;
    const count = (counts.get(server) ?? 0) + 1;
    counts.set(server, count);
    if (count <= MAX_PER_SERVER) return true;
    const waiting = later.get(server);
    if (waiting) waiting.push(question);
    else later.set(server, [question]);
    return false;
  });
  return { shown, later };
}
