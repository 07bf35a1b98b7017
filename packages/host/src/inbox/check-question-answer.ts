/** Checks that an answer is valid for its question. */
import { answerRows, findAnswer, parseUrl } from "@plugboard/contracts";
import type {
  Answer,
  Elicitation,
  ElicitationAnswer,
  FormField,
  FormValue,
  Json,
  LoginAnswer,
  LoginQuestion,
  PermissionAnswer,
  PermissionQuestion,
  Question,
} from "@plugboard/contracts";

/**
 * Returns the problem in words for the person who answered, or undefined for a valid answer. Also checks the types,
 * because the answer may be any JSON.
 */
export function checkQuestionAnswer(question: Question, answer: Answer): string | undefined {
  if (!isObject(answer)) return "it must be an object";
  if (answer.type !== question.type) return `the question is of type ${question.type}, not ${answer.type}`;
  switch (answer.type) {
    case "permission":
      return question.type === "permission" ? checkPermission(question, answer) : undefined;
    case "elicitation":
      return question.type === "elicitation" ? checkElicitation(question.elicitation, answer) : undefined;
    case "trust":
    case "sampling":
      return answer.decision === "yes" || answer.decision === "no" ? undefined : '"decision" must be yes or no';
    case "login":
      return question.type === "login" ? checkLogin(question, answer) : undefined;
  }
}

function checkPermission(question: PermissionQuestion, answer: PermissionAnswer): string | undefined {
  const [, row] = findAnswer(answer) ?? [];
  if (!row)
    return answer.decision === "always" ? '"for" must be client or everyone' : `"decision" must be ${DECISIONS}`;
  const { isOffered = () => true, refusal } = row;
  if (!isOffered(question)) return refusal;
  if (answer.decision !== "no" || answer.reason === undefined) return undefined;
  return typeof answer.reason === "string" ? undefined : '"reason" must be text';
}

const DECISIONS = listWords([...new Set(answerRows().map(([, { answer }]) => answer.decision))]);

function listWords(words: readonly string[]): string {
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

function checkLogin({ step }: LoginQuestion, answer: LoginAnswer): string | undefined {
  switch (answer.action) {
    case "cancel":
      return undefined;
    case "begin":
      if (step) return "the login has already started";
      return answer.method === undefined || answer.method === "browser" || answer.method === "device"
        ? undefined
        : '"method" must be browser or device';
    case "redirected":
      if (step?.type !== "browser") return "this login does not use a browser";
      return checkRedirected(step.url, answer.url);
    default:
      return '"action" must be begin, redirected or cancel';
  }
}

/** Checks that the redirect URL belongs to this login: it must have the `state` of the authorization URL. */
function checkRedirected(authorizationUrl: string, redirectUrl: unknown): string | undefined {
  const redirect = typeof redirectUrl === "string" ? parseUrl(redirectUrl) : undefined;
  if (!redirect) return "that is not a URL: paste the whole address, starting with http";
  const [expectedState, actualState] = [new URL(authorizationUrl), redirect].map(({ searchParams }) =>
    searchParams.get("state"),
  );
  if (expectedState === actualState) return undefined;
  return actualState === null ? "the URL is incomplete: copy the whole address" : "the URL belongs to another login";
}

function checkElicitation(elicitation: Elicitation, answer: ElicitationAnswer): string | undefined {
  if (answer.action === "decline" || answer.action === "cancel") return undefined;
  if (answer.action !== "accept") return '"action" must be accept, decline or cancel';
  if (elicitation.mode === "url") return answer.content ? "an answer to a URL has no content" : undefined;
  const { content = {} } = answer;
  if (!isObject(content)) return '"content" must be an object';
  const unknown = Object.keys(content).find((name) => !elicitation.fields.some((field) => field.name === name));
  if (unknown !== undefined) return `there is no field "${unknown}"`;
  for (const field of elicitation.fields) {
    const problem = checkField(field, Object.hasOwn(content, field.name) ? content[field.name] : undefined);
    if (problem) return `"${field.name}" ${problem}`;
  }
  return undefined;
}

/** Returns the problem of a value as a phrase that follows the field's name, or undefined for a valid value. */
export function checkField(field: FormField, value: FormValue | undefined): string | undefined {
  if (value === undefined) return field.required ? "is required" : undefined;
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "number":
    case "integer":
      return checkNumber(field, value);
    case "string":
      return checkText(field, value);
    case "choice":
      return isOneOf(field, value) ? undefined : `must be one of ${listChoices(field)}`;
    case "choices":
      return checkChoices(field, value);
  }
}

type Field<Type extends FormField["type"]> = Extract<FormField, { type: Type }>;

function checkNumber(field: Field<"number" | "integer">, value: Json): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a number";
  if (field.type === "integer" && !Number.isInteger(value)) return "must be a whole number";
  if (field.minimum !== undefined && value < field.minimum) return `must be at least ${field.minimum}`;
  if (field.maximum !== undefined && value > field.maximum) return `must be at most ${field.maximum}`;
  return undefined;
}

function checkText(field: Field<"string">, value: Json): string | undefined {
  if (typeof value !== "string") return "must be text";
  const length = Array.from(value).length;
  if (field.minLength !== undefined && length < field.minLength)
    return `must have at least ${field.minLength} characters`;
  if (field.maxLength !== undefined && length > field.maxLength)
    return `must have at most ${field.maxLength} characters`;
  const format = FORMATS.get(field.format ?? "");
  return !format || format.matches(value) ? undefined : `must be ${format.name}`;
}

function checkChoices(field: Field<"choices">, value: Json): string | undefined {
  if (!Array.isArray(value) || !value.every((item) => isOneOf(field, item)))
    return `must be a list of ${listChoices(field)}`;
  if (new Set(value).size !== value.length) return "has a choice twice";
  if (field.minItems !== undefined && value.length < field.minItems)
    return `must have at least ${field.minItems} choices`;
  if (field.maxItems !== undefined && value.length > field.maxItems)
    return `must have at most ${field.maxItems} choices`;
  return undefined;
}

function isOneOf(field: Field<"choice" | "choices">, value: Json): boolean {
  return field.choices.some((choice) => choice.value === value);
}

function listChoices(field: Field<"choice" | "choices">): string {
  return field.choices.map((choice) => choice.value).join(", ");
}

interface Format {
  readonly name: string;
  matches(text: string): boolean;
}

const FORMATS = new Map<string, Format>([
  ["email", { name: "an e-mail address", matches: (text) => /^[^\s@]+@[^\s@]+$/.test(text) }],
  ["uri", { name: "a URL", matches: (text) => parseUrl(text) !== undefined }],
  ["date", { name: "a date like 2026-01-31", matches: isDate }],
  ["date-time", { name: "a time like 2026-01-31T12:00:00Z", matches: isDateTime }],
]);

/** Rejects 30 February, which `Date` parses as 2 March. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [, date, time] = /^([^T]*)T(.*)$/i.exec(text) ?? [];
  return date !== undefined && time !== undefined && isDate(date) && TIME.test(time);
}

/** A time of RFC 3339, with seconds and an offset. */
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
