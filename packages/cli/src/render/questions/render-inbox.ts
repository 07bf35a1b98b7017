/** Renders the inbox: the list of open questions, and one question in full. */
import { answerRows, clientNameOf, formatDuration, offeredAnswers } from "@plugboard/contracts";
import type { Caller, Question } from "@plugboard/contracts";
import { renderLogin, renderLoginStep } from "../logins/render-login-prompt.ts";
import { requesterName, shortName } from "../quote-untrusted.ts";
import type { Quoter } from "../quote-untrusted.ts";
import { renderTable } from "../render-table.ts";
import { listAnswers } from "./list-answers.ts";
import { renderElicitation, renderPermission, renderSampling, renderTrust } from "./render-question.ts";

const NO_QUESTIONS = "No question waits.\n";
/** The characters of an id that the list shows. Commands accept the beginning of an id. */
const ID_LENGTH = 8;

export function renderInbox(questions: readonly Question[], now: number): string {
  if (questions.length === 0) return NO_QUESTIONS;
  const rows = questions.map((question) => [
    question.id.slice(0, ID_LENGTH),
    question.type,
    requesterName(question),
    question.requestedBy ? clientName(question.requestedBy) : "",
    formatDuration(Math.max(0, question.deadline - now)),
  ]);
  const table = renderTable(["ID", "QUESTION", "ABOUT", "CLIENT", "TIME LEFT"], rows);
  return `${table}\n${renderHowToAnswer(questions)}`;
}

/** Lists the answers to a permission only if a permission question waits. */
function renderHowToAnswer(questions: readonly Question[]): string {
  const offered = new Set(
    questions.flatMap((question) =>
      question.type === "permission" ? offeredAnswers(question).map(([name]) => name) : [],
    ),
  );
  const rows = answerRows().filter(([name]) => offered.has(name));
  const permission =
    rows.length === 0
      ? ""
      : `A permission takes ${listAnswers(rows)}. \`plugboard inbox answer --help\` says what they mean.\n`;
  return `To answer, run \`plugboard inbox --watch\`, or \`plugboard inbox answer <id> <answer>\`.
${permission}\`plugboard inbox show <id>\` shows all of a question.
Questions of clients stay open for a minute after you have listed them.
`;
}

export function renderQuestion(question: Question, quote: Quoter): string {
  switch (question.type) {
    case "permission":
      return renderPermission(question, quote);
    case "trust":
      return renderTrust(question, quote);
    case "sampling":
      return renderSampling(question, quote);
    case "elicitation":
      return renderElicitation(question, quote);
    case "login": {
      const { step } = question;
      return step ? renderLoginStep({ ...question, step }) : renderLogin(question, quote);
    }
  }
}

/** Returns the name of the token that the client uses, or the name that it gives itself. */
function clientName(caller: Caller): string {
  return shortName(clientNameOf(caller) ?? caller.id.slice(0, ID_LENGTH));
}
