/** The question whether a tool may be called: all that whoever answers needs to know. */
import type { Caller, JsonObject, Tool } from "@plugboard/contracts";
import type { Draft } from "../inbox/inbox.ts";
import type { Rule } from "./rule.ts";
import { toolChanges } from "./tool-changes.ts";

export interface AskedPermission {
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
  { caller: owner, server, tool, arguments: args, definition, pin }: AskedPermission,
  rule: Rule | undefined,
  approved: Tool | undefined,
): Draft {
  const description = definition?.description;
  return {
    type: "permission",
    owner,
    server,
    tool,
    arguments: args,
    ...(rule && { rule: rule.text }),
    ...(definition && pin !== undefined && { pin }),
    ...(description !== undefined && { description: cut(description) }),
    ...(definition && approved && { changes: toolChanges(approved, definition) }),
  };
}

function cut(text: string): string {
  if (text.length <= MAX_DESCRIPTION) return text;
  return `${text.slice(0, MAX_DESCRIPTION)}… (${text.length - MAX_DESCRIPTION} characters more)`;
}
