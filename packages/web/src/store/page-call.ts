/** A call that the page makes or shows, and the questions that belong to it. */
import type { Question } from "@plugboard/contracts";

export interface PageCall {
  readonly id: string;
  /** If set, questions about the server belong to the call, too. Most of them name no call. */
  readonly server?: string;
}

/** Works without HTTPS, too, where browsers have no `randomUUID`. */
export function newCallId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

export function isAboutCall(question: Question, { id, server }: PageCall): boolean {
  return question.call === undefined ? question.server === server : question.call === id;
}
