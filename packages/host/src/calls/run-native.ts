/** Runs a native tool. An exception of the tool becomes NATIVE_TOOL_FAILED. */
import { abortable, cancelled, HostError } from "@plugboard/contracts";
import type { Caller, JsonObject } from "@plugboard/contracts";
import { parseToolResult } from "@plugboard/mcp";
import type { Outcome } from "@plugboard/mcp";
import type { NativeTool } from "../tools/native-tool.ts";

export interface NativeRunContext {
  readonly caller: Caller;
  readonly signal?: AbortSignal | undefined;
}

export async function runNative(
  tool: NativeTool,
  args: JsonObject,
  { caller, signal }: NativeRunContext,
): Promise<Outcome> {
  if (signal?.aborted) return failed(cancelled());
  try {
    // A tool may ignore the signal.
    const returned: object = await abortable(
      Promise.resolve(tool.run(args, { caller, ...(signal && { signal }) })),
      signal,
    );
    const result: object | undefined = parseToolResult(returned as JsonObject);
    if (!result) throw new Error("the result has no content");
    return { type: "complete", result: result as JsonObject };
  } catch (thrown) {
    if (thrown instanceof HostError) return failed(thrown);
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return failed(new HostError("NATIVE_TOOL_FAILED", { tool: tool.name, reason }, { cause: thrown }));
  }
}

function failed(error: HostError): Outcome {
  return { type: "failed", error };
}
