/** Asks one question line by line on the terminal. Returns undefined if the question is to be dismissed. */
import { offeredAnswers, sanitizeLine } from "@plugboard/contracts";
import type {
  Answer,
  ElicitationQuestion,
  FormElicitation,
  FormField,
  FormValue,
  PermissionQuestion,
  Question,
  SamplingQuestion,
  TrustQuestion,
} from "@plugboard/contracts";
import { answerOfWord } from "./answer-of-word.ts";
import { parseFieldInput } from "./parse-field-input.ts";
import type { FieldInput } from "./parse-field-input.ts";
import { showQuestion } from "./show-question.ts";
import type { Dialogue } from "./show-question.ts";
import { promptLogin } from "./prompt-login.ts";
import { requesterName, shortName } from "../render/quote-untrusted.ts";
import {
  COMMANDS_HELP,
  fieldPrompt,
  FORM_HELP,
  displayHost,
  renderDismissed,
  renderElicitation,
  renderField,
  renderPermission,
  renderSampling,
  renderTrust,
} from "../render/questions/render-question.ts";

const DECLINE = { type: "elicitation", action: "decline" } as const;

/** `mayOpenBrowser` is true if a login may open the browser. */
export async function promptQuestion(
  question: Question,
  dialogue: Dialogue,
  { mayOpenBrowser }: { readonly mayOpenBrowser: boolean },
): Promise<Answer | undefined> {
  switch (question.type) {
    case "permission":
      return promptPermission(question, dialogue);
    case "trust":
      return promptTrust(question, dialogue);
    case "sampling":
      return promptSampling(question, dialogue);
    case "elicitation":
      return promptElicitation(question, dialogue);
    case "login":
      return promptLogin(question, dialogue, { mayOpenBrowser });
    // A newer host may ask questions of types that this command does not know.
    default:
      dialogue.show(renderDismissed(question));
      return undefined;
  }
}

/** The prompt itself names the server, because a server's long text can scroll the question off the screen. */
async function promptPermission(question: PermissionQuestion, dialogue: Dialogue): Promise<Answer | undefined> {
  const { read, show } = showQuestion(dialogue, (quote) => renderPermission(question, quote));
  // A command ends with its call, so an answer for its session is offered only for the call of another client.
  const isUseful = ([, { grant }]: (typeof answers)[number]) =>
    grant?.lasts !== "session" || question.requestedBy !== undefined;
  const answers = offeredAnswers(question);
  const offered = answers.filter(isUseful);
  const isOfClient = offered.some(([name]) => name === "everyone");
  const choices = offered.map(([name, { letter, prompt }]) => {
    if (name === "no") return "n [reason]";
    return `${letter} = ${name === "always" && isOfClient ? "always for this client" : prompt}`;
  });
  for (;;) {
    const typed = (await read(`Allow ${requesterName(question)}? ${choices.join(", ")}: `)).trim();
    if (typed === ":cancel") return undefined;
    const [word = "", ...reason] = typed.split(/\s+/);
    const answer = answerOfWord(word, offered);
    if (answer?.decision === "no")
      return { ...answer, ...(reason.length > 0 && { reason: typed.slice(word.length).trim() }) };
    if (answer && reason.length === 0) return answer;
    if (typed !== "") show(`  ${sanitizeLine(typed)} is not an answer here. Type one letter, or :cancel.\n`);
  }
}

/** Accepts yes only after the whole definition was shown, because the approval covers all of it. */
async function promptTrust(question: TrustQuestion, dialogue: Dialogue): Promise<Answer | undefined> {
  const shown = showQuestion(dialogue, (quote) => renderTrust(question, quote));
  for (;;) {
    const typed = await readYesOrNo(`Use the server ${requesterName(question)}? y / n: `, shown);
    if (typed === undefined) return undefined;
    if (typed === "no" || !shown.isTruncated) return { type: "trust", decision: typed };
    shown.show("Not all of the definition was shown. Type :all to see it, then answer.\n");
  }
}

async function promptSampling(question: SamplingQuestion, dialogue: Dialogue): Promise<Answer | undefined> {
  const shown = showQuestion(dialogue, (quote) => renderSampling(question, quote));
  const decision = await readYesOrNo(`Let ${requesterName(question)} use the model for this? y / n: `, shown);
  return decision && { type: "sampling", decision };
}

async function promptElicitation(question: ElicitationQuestion, dialogue: Dialogue): Promise<Answer | undefined> {
  const { elicitation } = question;
  const asker = requesterName(question);
  const shown = showQuestion(dialogue, (quote) => renderElicitation(question, quote));
  if (elicitation.mode === "form") return readForm(asker, elicitation, shown);
  const visit = `${asker} wants you to visit ${shortName(displayHost(elicitation.url))}. Open it yourself, then answer.`;
  const decision = await readYesOrNo(`${visit} Accept? y / n / :cancel: `, shown);
  if (decision === undefined) return undefined;
  return decision === "yes" ? { type: "elicitation", action: "accept" } : DECLINE;
}

const YES = /^y(es)?$/i;

/** Asks until the user types yes, no or :cancel. Enter alone is not an answer. Returns undefined for :cancel. */
async function readYesOrNo(prompt: string, { read, show }: Dialogue): Promise<"yes" | "no" | undefined> {
  for (;;) {
    const typed = (await read(prompt)).trim();
    if (typed === ":cancel") return undefined;
    if (YES.test(typed)) return "yes";
    if (/^(no?|:decline)$/i.test(typed)) return "no";
    if (typed !== "") show(`  ${sanitizeLine(typed)} is not an answer here. Type y, n or :cancel.\n`);
  }
}

async function readForm(asker: string, { fields }: FormElicitation, dialogue: Dialogue): Promise<Answer | undefined> {
  dialogue.show(FORM_HELP);
  // Without a prototype, a field may have any name, such as `__proto__`.
  const content = Object.create(null) as { [name: string]: FormValue };
  for (const field of fields) {
    const shown = showQuestion(dialogue, (quote) => renderField(field, quote));
    const input = await readField(fieldPrompt(asker, field), field, shown);
    if (input === "decline") return DECLINE;
    if (input === "cancel") return undefined;
    if ("value" in input) content[field.name] = input.value;
  }
  return { type: "elicitation", action: "accept", content };
}

/** Asks until the input is valid. */
async function readField(
  prompt: string,
  field: FormField,
  { read, show }: Dialogue,
): Promise<Exclude<FieldInput, { problem: string }> | "decline" | "cancel"> {
  for (;;) {
    const typed = (await read(prompt)).trim();
    if (typed === ":decline") return "decline";
    if (typed === ":cancel") return "cancel";
    if (/^:\w+$/.test(typed)) {
      show(
        `  ${sanitizeLine(typed)} is not a command here: ${COMMANDS_HELP}. To enter it as text, type :${sanitizeLine(typed)}\n`,
      );
      continue;
    }
    const input = parseFieldInput(field, typed.replace(/^::/, ":"));
    if (!("problem" in input)) return input;
    show(`  ${sanitizeLine(`${field.name} ${input.problem}`)}.\n`);
  }
}
