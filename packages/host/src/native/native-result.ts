/** What a native tool answers: a text, or what went wrong in words that the model can act on. */
import { HostError } from "@plugboard/contracts";
import type { HostErrorCode, JsonObject, ToolResult } from "@plugboard/contracts";

export function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}

/** That something can't be had is an answer; that nobody waits for it any more, or a defect of ours, is none. */
export async function resultOrError(run: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await run();
  } catch (thrown) {
    if (!(thrown instanceof HostError) || RETHROWN_CODES.has(thrown.code)) throw thrown;
    return { ...textResult(`${thrown.code}: ${thrown.message}`), isError: true };
  }
}

const RETHROWN_CODES: ReadonlySet<HostErrorCode> = new Set<HostErrorCode>(["CANCELLED", "HOST_CLOSED", "INTERNAL"]);

/** A text argument, as far as it was given. */
export function optionalString(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || typeof value === "string") return value;
  throw new HostError("INVALID_ARGUMENTS", { reason: `"${name}" must be a text` });
}

export function requiredString(args: JsonObject, name: string): string {
  const value = optionalString(args, name);
  if (value === undefined || value === "") throw new HostError("INVALID_ARGUMENTS", { reason: `"${name}" is missing` });
  return value;
}
