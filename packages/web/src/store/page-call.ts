/** A call that the page makes or shows, and the questions that belong to it. */
import type { Question } from "@plugboard/contracts";

export interface PageCall {
  readonly id: string;
  /** If set, questions of this server that name no call belong to the call, too. */
  readonly server?: string;
}

/** Works without HTTPS, too, where browsers have no `randomUUID`. */
export function newCallId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

export function isAboutCall(question: Question, { id, server }: PageCall): boolean {
  return question.call === undefined ? question.server === server : question.call === id;
}
