/** Asks for the inputs of a registry's server on the terminal. Its texts are untrusted, so they are quoted. */
import { sanitizeLine } from "@plugboard/contracts";
import type { ServerEntry } from "@plugboard/contracts";
import type { ChoiceInput, InputAnswers, SupportedChoice } from "@plugboard/config/registry";
import { makeQuoter, shortName } from "../render/quote-untrusted.ts";
import { renderTarget } from "../render/servers/render-entry.ts";
import { fitColumns } from "../terminal/text-width.ts";
import type { TerminalLines } from "../terminal/terminal-lines.ts";

/** The prompt itself stays on one line. */
const MAX_NOTE_COLUMNS = 60;

/** `entryOf` returns the entry of a choice without answers, which shows what would run. */
export async function askWhichChoice(
  choices: readonly SupportedChoice[],
  entryOf: (choice: SupportedChoice) => ServerEntry,
  lines: TerminalLines,
): Promise<SupportedChoice> {
  if (choices.length === 1) return choices[0]!;
  lines.show("It can run in several ways:\n");
  for (const [index, choice] of choices.entries()) lines.show(`  ${index + 1}  ${renderTarget(entryOf(choice))}\n`);
  for (;;) {
    const typed = (await lines.read("Which one? [1]: ")).trim();
    const chosen = typed === "" ? choices[0] : /^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined;
    if (chosen) return chosen;
    lines.show(`  Type a number from 1 to ${choices.length}.\n`);
  }
}

/** Asks for the required inputs that have no answer yet. The user may leave any of them empty. */
export async function askInputs(
  inputs: readonly ChoiceInput[],
  given: InputAnswers,
  lines: TerminalLines,
): Promise<InputAnswers> {
  const missing = inputs.filter((input) => input.required && !Object.hasOwn(given, input.name) && !isUrlSecret(input));
  if (missing.length > 0) lines.show("Press Enter to take the default, or to set a value later.\n");
  const answers = new Map(Object.entries(given));
  for (const input of missing) {
    const texts = await askInput(input, lines);
    if (texts.length > 0) answers.set(input.name, texts);
  }
  // `fromEntries` keeps names such as `__proto__`.
  return Object.fromEntries(answers);
}

/** A secret in a URL can't be stored. It stays a reference to an environment variable. */
function isUrlSecret({ where, secret }: ChoiceInput): boolean {
  return where === "url" && secret;
}

async function askInput(input: ChoiceInput, lines: TerminalLines): Promise<string[]> {
  const { description, repeated } = input;
  if (description !== undefined)
    lines.show(makeQuoter({ columns: lines.columns, onTruncate: () => {} })(description, 6));
  const texts: string[] = [];
  for (;;) {
    const text = await askOnce(input, texts.length > 0, lines);
    if (text === "") return texts;
    texts.push(text);
    if (!repeated) return texts;
  }
}

/** Asks until the answer is valid or empty. */
async function askOnce(input: ChoiceInput, isAnother: boolean, lines: TerminalLines): Promise<string> {
  const { checkAnswer } = await import("@plugboard/config/registry");
  const { secret } = input;
  for (;;) {
    const prompt = promptFor(input, isAnother);
    const typed = (await (secret ? lines.readHidden(prompt) : lines.read(prompt))).trim();
    const problem = typed === "" ? undefined : checkAnswer(input, typed);
    if (problem === undefined) return typed;
    lines.show(`  ${sanitizeLine(`${input.name} ${problem}`)}.\n`);
  }
}

function promptFor({ name, secret, choices, default: fallback, placeholder }: ChoiceInput, isAnother: boolean): string {
  const notes = [
    ...(secret ? ["not shown"] : []),
    ...(choices ? [choices.join(", ")] : []),
    ...(placeholder === undefined ? [] : [`such as ${placeholder}`]),
  ];
  const note = notes.length === 0 ? "" : ` (${fitColumns(sanitizeLine(notes.join("; ")), MAX_NOTE_COLUMNS)})`;
  if (isAnother) return `another ${shortName(name)}${note}: `;
  return `${shortName(name)}${note}${secret || fallback === undefined ? "" : ` [${shortName(fallback)}]`}: `;
}
