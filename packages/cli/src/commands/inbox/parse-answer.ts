/** Converts the words of `plugboard inbox answer` to an answer. Pure. The host checks the answer again. */
import type {
  Answer,
  ElicitationQuestion,
  FormElicitation,
  FormValue,
  LoginQuestion,
  PermissionAnswer,
  Question,
} from "@plugboard/contracts";
import { answerRows } from "@plugboard/contracts";
import { answerOfWord } from "../../prompt/answer-of-word.ts";
import { usageError } from "../../command-line/usage-error.ts";
import { parseFieldInput } from "../../prompt/parse-field-input.ts";
import { listAnswers } from "../../render/questions/list-answers.ts";

/** Throws USAGE if the words don't answer the question. */
export function parseAnswer(question: Question, words: readonly string[]): Answer | "dismiss" {
  if (words.length === 1 && words[0] === "dismiss") return "dismiss";
  switch (question.type) {
    case "permission":
      return parsePermission(words);
    case "trust":
    case "sampling":
      return {
        type: question.type,
        decision: parseChoice(words, { yes: "yes", y: "yes", no: "no", n: "no" } as const),
      };
    case "elicitation":
      return parseElicitation(question, words);
    case "login":
      return parseLogin(question, words);
  }
}

function parsePermission(words: readonly string[]): PermissionAnswer {
  const [first = "", ...reason] = words;
  const answer = answerOfWord(first, answerRows());
  if (answer?.decision === "no" && reason.length > 0) return { ...answer, reason: reason.join(" ") };
  if (!answer || reason.length > 0) throw invalid(`expected ${listAnswers(answerRows())}`);
  return answer;
}

function parseLogin({ step }: LoginQuestion, words: readonly string[]): Answer {
  const [url = ""] = words;
  if (step && words.length === 1 && url.startsWith("http")) return { type: "login", action: "redirected", url };
  const expected = step ? "cancel, or the URL that the browser was redirected to" : "begin or cancel";
  const choices = step
    ? ({ cancel: "cancel" } as const)
    : ({ begin: "begin", yes: "begin", cancel: "cancel" } as const);
  return { type: "login", action: parseChoice(words, choices, expected) };
}

function parseElicitation({ elicitation }: ElicitationQuestion, words: readonly string[]): Answer {
  const [word] = words;
  if (words.length === 1 && (word === "decline" || word === "cancel")) return { type: "elicitation", action: word };
  if (elicitation.mode === "form") return parseForm(elicitation, words);
  return { type: "elicitation", action: parseChoice(words, { accept: "accept" } as const, "accept or decline") };
}

/** Fields that the words do not name get their default. */
function parseForm({ fields }: FormElicitation, words: readonly string[]): Answer {
  const given = new Map(words.map(splitPair));
  const unknown = [...given.keys()].find((name) => !fields.some((field) => field.name === name));
  const known = fields.map(({ name }) => name);
  if (unknown !== undefined)
    throw invalid(`the form has no field ${unknown}. Its fields are: ${known.join(", ") || "none"}`);
  // Without a prototype, a field may have any name, such as `__proto__`.
  const content = Object.create(null) as { [name: string]: FormValue };
  for (const field of fields) {
    const input = parseFieldInput(field, given.get(field.name) ?? "");
    if ("problem" in input) throw invalid(`${field.name} ${input.problem}`);
    if ("value" in input) content[field.name] = input.value;
  }
  return { type: "elicitation", action: "accept", content };
}

function splitPair(word: string): [string, string] {
  const at = word.indexOf("=");
  if (at <= 0) throw invalid(`expected field=value or decline, not ${word}`);
  return [word.slice(0, at), word.slice(at + 1)];
}

function parseChoice<Value>(
  words: readonly string[],
  choices: { readonly [word: string]: Value },
  expected = "yes or no",
): Value {
  const [word = ""] = words;
  const choice = Object.hasOwn(choices, word) ? choices[word] : undefined;
  if (words.length !== 1 || choice === undefined) throw invalid(`expected ${expected}`);
  return choice;
}

function invalid(problem: string) {
  return usageError(problem, { command: "inbox answer" });
}
