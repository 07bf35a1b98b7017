/** Checks that an answer is valid for its question. */
import { answerRows, checkFormField, findAnswer, parseUrl } from "@plugboard/contracts";
import type {
  Answer,
  Elicitation,
  ElicitationAnswer,
  LoginAnswer,
  LoginQuestion,
  PermissionAnswer,
  PermissionQuestion,
  Question,
} from "@plugboard/contracts";

/**
 * Returns the problem in words for the person who answered, or undefined for a valid answer. Also checks the types of
 * all fields, because the answer may be any JSON.
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
    const problem = checkFormField(field, Object.hasOwn(content, field.name) ? content[field.name] : undefined);
    if (problem) return `"${field.name}" ${problem}`;
  }
  return undefined;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
