/** The properties that the body of each kind of question gets. */
import type { Answer, Question } from "@plugboard/contracts";

export interface QuestionProps<Kind extends Question> {
  readonly question: Kind;
  readonly send: (answer: Answer) => Promise<void>;
}
