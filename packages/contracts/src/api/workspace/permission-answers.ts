/**
 * The answers to a permission question. The terminal, chats, the page and the forms of gateway clients render these
 * rows, and the host checks and stores answers by them.
 */
import { NATIVE_SERVER_ID } from "../../protocol/tool.ts";
import { OWNER } from "../host/caller.ts";
import type { PermissionAnswer, PermissionQuestion } from "./question.ts";

export interface AnswerRow {
  readonly answer: PermissionAnswer;
  /** The letter that selects it on a terminal. */
  readonly letter: string;
  /** Other words that are accepted on a terminal. The name of the row is always accepted. */
  readonly words?: readonly string[];
  /** What the letter does, in the prompt of a command. */
  readonly prompt: string;
  /** The label of a button, and of a choice in a form. */
  readonly label: string;
  /** The label in a chat's menu. `{tool}` and `{server}` stand for the names. */
  readonly menu: string;
  /** What its name means as a word of `plugboard inbox answer`, if the name does not say it. A sentence. */
  readonly meaning?: string;
  /** What the answer allows after this call. Absent if it allows nothing more. */
  readonly grant?: AnswerGrant;
  /** Says why the answer is refused if the question does not offer it. */
  readonly refusal?: string;
  /** Returns whether the question has this answer. By default always. */
  readonly isOffered?: (question: AnswerableQuestion) => boolean;
}

/** For how long, for whom and for what an answer allows calls. By default for the caller's principal and the tool. */
export interface AnswerGrant {
  readonly lasts: "session" | "always";
  readonly to?: "everyone";
  readonly covers?: "server";
}

/** The parts of a question that decide which answers it has. */
type AnswerableQuestion = Pick<PermissionQuestion, "server" | "pin" | "requestedBy">;

export type AnswerName = "once" | "session" | "always" | "everyone" | "server" | "no";

const UNKNOWN_DEFINITION = "the tool's definition is not known yet, so answer once or no";

/** In the order in which they are shown. */
export const PERMISSION_ANSWERS: { readonly [Name in AnswerName]: AnswerRow } = {
  once: {
    answer: { type: "permission", decision: "once" },
    letter: "y",
    words: ["yes", "o"],
    prompt: "once",
    label: "Allow once",
    menu: "Yes, once",
  },
  session: {
    answer: { type: "permission", decision: "session" },
    letter: "s",
    prompt: "this session",
    label: "Allow for this session",
    menu: "Yes, until this chat ends: {tool}",
    meaning: "session applies to the client that calls, until its session ends.",
    grant: { lasts: "session" },
    refusal: UNKNOWN_DEFINITION,
    isOffered: hasPin,
  },
  always: {
    answer: { type: "permission", decision: "always" },
    letter: "a",
    prompt: "always",
    label: "Always allow",
    menu: "Yes, always: {tool}",
    meaning: "always applies to the client that calls.",
    grant: { lasts: "always" },
    refusal: UNKNOWN_DEFINITION,
    isOffered: hasPin,
  },
  everyone: {
    answer: { type: "permission", decision: "always", for: "everyone" },
    letter: "e",
    prompt: "always for every client",
    label: "Always allow every client",
    menu: "Yes, always, for every client: {tool}",
    meaning: "everyone is like always, but for every client.",
    grant: { lasts: "always", to: "everyone" },
    refusal: "only a call of a client with a token can be allowed for everyone",
    isOffered: (question) => hasPin(question) && isOfClient(question),
  },
  server: {
    answer: { type: "permission", decision: "server" },
    letter: "w",
    prompt: "whole server",
    label: "Always allow the whole server",
    menu: "Yes, always, every tool that it has now: {server}",
    meaning: "server is like always, but for every tool that the server had when the question was asked.",
    grant: { lasts: "always", covers: "server" },
    refusal: "the tools of this server can't be allowed together",
    // The built-in tools have nothing in common but their server.
    isOffered: (question) => hasPin(question) && question.server !== NATIVE_SERVER_ID,
  },
  no: {
    answer: { type: "permission", decision: "no" },
    letter: "n",
    words: [":decline"],
    prompt: "no",
    label: "Don't allow",
    menu: "No (Esc)",
  },
};

/** Returns the answers that a question has, with their names. */
export function offeredAnswers(question: AnswerableQuestion): readonly (readonly [AnswerName, AnswerRow])[] {
  return answerRows().filter(([, { isOffered = () => true }]) => isOffered(question));
}

export function answerRows(): readonly (readonly [AnswerName, AnswerRow])[] {
  return Object.entries(PERMISSION_ANSWERS) as [AnswerName, AnswerRow][];
}

/** Returns undefined for an answer that is not in the table. The answer of another process may be any JSON. */
export function findAnswer(answer: PermissionAnswer): readonly [AnswerName, AnswerRow] | undefined {
  return answerRows().find(
    ([, row]) => row.answer.decision === answer.decision && granteeOf(row.answer) === granteeOf(answer),
  );
}

function granteeOf(answer: PermissionAnswer): string {
  return (answer.decision === "always" ? answer.for : undefined) ?? "client";
}

function hasPin({ pin }: AnswerableQuestion): boolean {
  return pin !== undefined;
}

/** Returns true for a call of a client with a token of its own. All other calls are the owner's. */
function isOfClient({ requestedBy }: AnswerableQuestion): boolean {
  return (requestedBy?.principal ?? OWNER).id !== OWNER.id;
}
