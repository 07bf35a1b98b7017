/** The question whether a tool may be called: all that whoever answers needs to know. */
import type { Caller, JsonObject, Tool } from "@plugboard/contracts";
import type { QuestionDraft } from "../inbox/question-inbox.ts";
import type { Rule } from "./rule.ts";
import { diffTools } from "../lib/json-diff.ts";

export interface PermissionRequest {
  readonly caller: Caller;
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly definition: Tool | undefined;
  readonly pin: string | undefined;
}

/** What a model is told of a tool, the person who permits it can read; within reason. */
const MAX_DESCRIPTION = 10_000;

/** `approved`: the tool as it was when it was allowed before. */
export function permissionQuestion(
  { caller: owner, server, tool, arguments: args, definition, pin }: PermissionRequest,
  rule: Rule | undefined,
  approved: Tool | undefined,
): QuestionDraft {
  const description = definition?.description;
  return {
    type: "permission",
    owner,
    server,
    tool,
    arguments: args,
    ...(rule && { rule: rule.text }),
    ...(definition && pin !== undefined && { pin }),
    ...(description !== undefined && { description: truncate(description) }),
    ...(definition && approved && { changes: diffTools(approved, definition) }),
  };
}

function truncate(text: string): string {
  if (text.length <= MAX_DESCRIPTION) return text;
  return `${text.slice(0, MAX_DESCRIPTION)}… (${text.length - MAX_DESCRIPTION} characters more)`;
}
