/** Says in a few words what a question is about and who asks. Contains no argument of a call and no text of a server. Pure. */
import { sanitizeLine } from "@plugboard/contracts";
import type { Question } from "@plugboard/contracts";
import { callerText } from "../../format/caller.ts";

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

export function questionRequester({ owner, requestedBy }: Question): string {
  const caller = requestedBy ?? (owner === "workspace" ? undefined : owner);
  if (!caller) return "for this workspace";
  return `asked by ${callerText(caller)}`;
}
