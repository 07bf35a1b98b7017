/**
 * Says in a few words what a question is about and who asks. Quotes no arguments of calls and no texts of servers.
 * Pure.
 */
import { sanitizeLine } from "@plugboard/contracts";
import type { Caller, Question } from "@plugboard/contracts";
import { callerText } from "../format/caller.ts";

export function questionTitle(question: Question): string {
  const server = sanitizeLine(question.server);
  switch (question.type) {
    case "permission":
      return `May ${server}:${sanitizeLine(question.tool)} be called?`;
    case "elicitation":
      return `${server} asks you`;
    case "trust":
      return `Approve the server ${server}?`;
    case "sampling":
      return `May ${server} use your model?`;
    case "login":
      return question.step ? `Log in at ${server}` : `${server} needs a login`;
  }
}

/** Returns undefined if the question belongs to the workspace. */
export function questionCaller({ owner, requestedBy }: Question): Caller | undefined {
  return requestedBy ?? (owner === "workspace" ? undefined : owner);
}

export function questionRequester(question: Question): string {
  const caller = questionCaller(question);
  if (!caller) return "for this workspace";
  // The server asks, not the caller.
  if (question.type === "elicitation") return `during a call from ${callerText(caller)}`;
  return `asked by ${callerText(caller)}`;
}
