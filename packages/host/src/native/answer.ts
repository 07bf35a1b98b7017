/** What a native tool answers: a text, or what went wrong in words that the model can act on. */
import { HostError } from "@plugboard/contracts";
import type { HostErrorCode, JsonObject, ToolResult } from "@plugboard/contracts";

export function says(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}

/** That something can't be had is an answer; that nobody waits for it any more, or a defect of ours, is none. */
export async function answer(run: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await run();
  } catch (thrown) {
    if (!(thrown instanceof HostError) || NO_ANSWER.has(thrown.code)) throw thrown;
    return { ...says(`${thrown.code}: ${thrown.message}`), isError: true };
  }
}

const NO_ANSWER: ReadonlySet<HostErrorCode> = new Set<HostErrorCode>(["CANCELLED", "HOST_CLOSED", "INTERNAL"]);

/** A text argument, as far as it was given. */
export function textOf(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || typeof value === "string") return value;
  throw new HostError("INVALID_ARGUMENTS", { what: `"${name}" must be a text` });
}

export function requiredText(args: JsonObject, name: string): string {
  const value = textOf(args, name);
  if (value === undefined || value === "") throw new HostError("INVALID_ARGUMENTS", { what: `"${name}" is missing` });
  return value;
}
