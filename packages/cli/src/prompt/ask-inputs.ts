/** Asks for the inputs of a registry's server on the terminal. Its texts are untrusted, so they are quoted. */
import { sanitizeLine } from "@plugboard/contracts";
import type { Operations, RegistryChoice, RegistryFilling, RegistryInputField } from "@plugboard/contracts";
import { makeQuoter, shortName } from "../render/quote-untrusted.ts";
import { renderTarget } from "../render/servers/render-entry.ts";
import { fitColumns } from "../terminal/text-width.ts";
import type { TerminalLines } from "../terminal/terminal-lines.ts";

/** Keeps the prompt on one line. */
const MAX_NOTE_COLUMNS = 60;

/** Asks which way to run the server. Shows the command or URL of each, with inputs not filled in yet. */
export async function askWhichChoice(
  choices: readonly RegistryChoice[],
  lines: TerminalLines,
): Promise<RegistryChoice> {
  if (choices.length === 1) return choices[0]!;
  lines.show("It can run in several ways:\n");
  for (const [index, { entry }] of choices.entries()) lines.show(`  ${index + 1}  ${renderTarget(entry)}\n`);
  for (;;) {
    const typed = (await lines.read("Which one? [1]: ")).trim();
    const chosen = typed === "" ? choices[0] : /^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined;
    if (chosen) return chosen;
    lines.show(`  Type a number from 1 to ${choices.length}.\n`);
  }
}

type ValueCheck = Pick<Operations, "checkRegistryValue">;
type InputAnswers = RegistryFilling["values"];

/** Asks for the required inputs that have no answer yet and that no option replaces. Any of them may be left empty. */
export async function askInputs(
  inputs: readonly RegistryInputField[],
  given: InputAnswers,
  operations: ValueCheck,
  lines: TerminalLines,
): Promise<InputAnswers> {
  const missing = inputs.filter(
    (input) => input.required && !input.replaced && !Object.hasOwn(given, input.name) && !isUrlSecret(input),
  );
  if (missing.length > 0) lines.show("Press Enter to take the default, or to set a value later.\n");
  const answers = new Map(Object.entries(given));
  for (const input of missing) {
    const texts = await askInput(input, operations, lines);
    if (texts.length > 0) answers.set(input.name, texts);
  }
  // `fromEntries` keeps names such as `__proto__`.
  return Object.fromEntries(answers);
}

/** A secret in a URL can't be stored. It stays a reference to an environment variable. */
function isUrlSecret({ where, secret }: RegistryInputField): boolean {
  return where === "url" && secret;
}

async function askInput(input: RegistryInputField, operations: ValueCheck, lines: TerminalLines): Promise<string[]> {
  const { description, repeated } = input;
  if (description !== undefined)
    lines.show(makeQuoter({ columns: lines.columns, onTruncate: () => {} })(description, 6));
  const texts: string[] = [];
  for (;;) {
    const text = await askOnce(input, texts.length > 0, operations, lines);
    if (text === "") return texts;
    texts.push(text);
    if (!repeated) return texts;
  }
}

/** Asks until the answer is valid or empty. */
async function askOnce(
  input: RegistryInputField,
  isAnother: boolean,
  operations: ValueCheck,
  lines: TerminalLines,
): Promise<string> {
  const { secret } = input;
  for (;;) {
    const prompt = promptFor(input, isAnother);
    const typed = (await (secret ? lines.readHidden(prompt) : lines.read(prompt))).trim();
    const { problem } = typed === "" ? {} : await operations.checkRegistryValue(input, typed);
    if (problem === undefined) return typed;
    lines.show(`  ${sanitizeLine(`${input.name} ${problem}`)}.\n`);
  }
}

function promptFor(
  { name, secret, choices, default: fallback, placeholder }: RegistryInputField,
  isAnother: boolean,
): string {
  const notes = [
    ...(secret ? ["not shown"] : []),
    ...(choices ? [choices.join(", ")] : []),
    ...(placeholder === undefined ? [] : [`such as ${placeholder}`]),
  ];
  const note = notes.length === 0 ? "" : ` (${fitColumns(sanitizeLine(notes.join("; ")), MAX_NOTE_COLUMNS)})`;
  if (isAnother) return `another ${shortName(name)}${note}: `;
  return `${shortName(name)}${note}${secret || fallback === undefined ? "" : ` [${shortName(fallback)}]`}: `;
}
