/** One question as a dialogue in lines. Ends in the answer, or in nothing if the question is to be dismissed. */
import { sanitiseLine } from "@plugboard/contracts";
import type { Answer, FormElicitation, FormField, FormValue, PermissionQuestion, Question } from "@plugboard/contracts";
import { readFieldInput } from "./field-input.ts";
import type { FieldInput } from "./field-input.ts";
import { putLogin } from "./put-login.ts";
import {
  COMMANDS_HELP,
  fieldPrompt,
  FORM_HELP,
  renderAsker,
  renderDismissed,
  renderField,
  renderPermission,
  renderSampling,
  renderTrust,
} from "./render-question.ts";
import type { TerminalLines } from "./terminal-lines.ts";

type Dialogue = Pick<TerminalLines, "read" | "show">;

const DECLINE = { type: "elicitation", action: "decline" } as const;

/** `browser`: whether one may be opened for a login. */
export async function putQuestion(
  question: Question,
  dialogue: Dialogue,
  browser: boolean,
): Promise<Answer | undefined> {
  switch (question.type) {
    case "permission":
      return putPermission(question, dialogue);
    case "trust":
      dialogue.show(renderTrust(question));
      return readYesOrNo("trust", "Use this server? y / n: ", dialogue);
    case "sampling":
      dialogue.show(renderSampling(question));
      return readYesOrNo("sampling", "Let it use the model for this? y / n: ", dialogue);
    case "elicitation":
      dialogue.show(renderAsker(question));
      return question.elicitation.mode === "form" ? readForm(question.elicitation, dialogue) : readAgreement(dialogue);
    case "login":
      return putLogin(question, dialogue, browser);
    // Of a host that is newer than this command.
    default:
      dialogue.show(renderDismissed(question));
      return undefined;
  }
}

/** A command is over with its call, so there is no session to allow it for. */
async function putPermission(question: PermissionQuestion, { read, show }: Dialogue): Promise<Answer | undefined> {
  show(renderPermission(question));
  const always = question.pin !== undefined;
  const choices = always ? "y = once, a = always, n [reason]" : "y = once, n [reason]";
  for (;;) {
    const typed = (await read(`Allow this call? ${choices}: `)).trim();
    if (typed === ":cancel") return undefined;
    if (/^y(es)?$/i.test(typed)) return { type: "permission", decision: "once" };
    if (always && /^a(lways)?$/i.test(typed)) return { type: "permission", decision: "always" };
    const no = /^(?:no?|:decline)(?:\s+(.+))?$/i.exec(typed);
    if (no) return { type: "permission", decision: "no", ...(no[1] !== undefined && { reason: no[1] }) };
  }
}

async function readYesOrNo(
  type: "trust" | "sampling",
  prompt: string,
  { read }: Dialogue,
): Promise<Answer | undefined> {
  for (;;) {
    const typed = (await read(prompt)).trim();
    if (typed === ":cancel") return undefined;
    if (/^y(es)?$/i.test(typed)) return { type, decision: "yes" };
    if (/^(no?|:decline)$/i.test(typed)) return { type, decision: "no" };
  }
}

async function readAgreement({ read }: Dialogue): Promise<Answer | undefined> {
  for (;;) {
    const typed = (await read("  Open it yourself, then answer. Agree? y / n / :cancel: ")).trim();
    if (typed === ":cancel") return undefined;
    if (/^y(es)?$/i.test(typed)) return { type: "elicitation", action: "accept" };
    if (/^(no?|:decline)$/i.test(typed)) return DECLINE;
  }
}

async function readForm({ fields }: FormElicitation, dialogue: Dialogue): Promise<Answer | undefined> {
  dialogue.show(FORM_HELP);
  // A field may have any name, also one that every ordinary object has.
  const content = Object.create(null) as { [name: string]: FormValue };
  for (const field of fields) {
    dialogue.show(renderField(field));
    const input = await readField(field, dialogue);
    if (input === "decline") return DECLINE;
    if (input === "cancel") return undefined;
    if ("value" in input) content[field.name] = input.value;
  }
  return { type: "elicitation", action: "accept", content };
}

/** Asks until what is typed fits. */
async function readField(
  field: FormField,
  { read, show }: Dialogue,
): Promise<Exclude<FieldInput, { wrong: string }> | "decline" | "cancel"> {
  for (;;) {
    const typed = (await read(fieldPrompt(field))).trim();
    if (typed === ":decline") return "decline";
    if (typed === ":cancel") return "cancel";
    if (/^:\w+$/.test(typed)) {
      show(
        `  ${sanitiseLine(typed)} is not known here: ${COMMANDS_HELP}. As a text it is typed :${sanitiseLine(typed)}\n`,
      );
      continue;
    }
    const input = readFieldInput(field, typed.replace(/^::/, ":"));
    if (!("wrong" in input)) return input;
    show(`  ${sanitiseLine(`${field.name} ${input.wrong}`)}.\n`);
  }
}
