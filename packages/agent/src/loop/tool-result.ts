/** Makes the results that the model reads, from the output of a tool or from the reason why there is none. Pure. */
import { isHostError, toHostError } from "@plugboard/contracts";
import type { ChatToolCall, ChatToolResult, ChatToolStatus } from "@plugboard/contracts";
import type { ToolDefinition, ToolOutput } from "./tools.ts";

export function outputResult(
  call: ChatToolCall,
  output: ToolOutput | string,
  definition: ToolDefinition,
): ChatToolResult {
  const {
    text,
    media,
    isError,
    app,
    source = definition.source,
  }: ToolOutput = typeof output === "string" ? { text: output } : output;
  return {
    ...result(call, isError ? "error" : "ok", text),
    ...(media && media.length > 0 && { media }),
    ...(app && { app }),
    ...(source !== undefined && { untrusted: { source } }),
  };
}

/** The message of an error may quote the server, so it is as untrusted as an output. */
export function thrownResult(call: ChatToolCall, thrown: unknown, { source }: ToolDefinition): ChatToolResult {
  if (isHostError(thrown)) {
    if (thrown.code === "TOOL_NOT_FOUND") return unknownResult(call, []);
    if (thrown.code === "CANCELLED") return result(call, "cancelled", CANCELLED_TEXT);
    if (thrown.code === "TOOL_DENIED" || thrown.code === "NOBODY_TO_ASK")
      return result(call, "denied", `The call was denied and did not run. ${thrown.message}`);
  }
  const text = `The tool failed: ${thrown instanceof Error ? thrown.message : toHostError(thrown).message}`;
  return { ...result(call, "error", text), ...(source !== undefined && { untrusted: { source } }) };
}

export function unknownResult(call: ChatToolCall, offered: readonly ToolDefinition[]): ChatToolResult {
  const names = offered.map(({ name }) => name);
  const known = names.length === 0 || names.length > MAX_NAMES ? "" : ` Available tools: ${names.join(", ")}.`;
  return result(call, "unknown", `The tool "${call.tool}" is not available. Please try another approach.${known}`);
}

export function invalidArgumentsResult(call: ChatToolCall, problem: string): ChatToolResult {
  return result(call, "error", `The call did not run. ${problem}`);
}

export function notRunResult(call: ChatToolCall, reason: string): ChatToolResult {
  return result(call, "not_run", `The call did not run: ${reason}.`);
}

/** More names than this cost more tokens than they help. */
const MAX_NAMES = 30;

const CANCELLED_TEXT = "The call was cancelled. It may have taken effect; check before you repeat it.";

function result({ callId, tool }: ChatToolCall, status: ChatToolStatus, text: string): ChatToolResult {
  return { type: "tool_result", callId, tool, status, text };
}
