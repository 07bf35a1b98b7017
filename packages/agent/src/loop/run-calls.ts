/** Runs the calls of an answer in parallel. */
import { abortable } from "@plugboard/contracts";
import type { ToolCallPart, ToolResultPart } from "./message.ts";
import { invalidArgumentsResult, outputResult, thrownResult, unknownResult } from "./tool-result.ts";
import type { ToolDefinition, Tools } from "./tools.ts";
import type { TurnEvent } from "./turn-event.ts";

export interface CallContext {
  readonly tools: Tools;
  /** The definitions that the model got with the request. */
  readonly offered: readonly ToolDefinition[];
  /** Why the arguments of a call are invalid, by call id. */
  readonly problems: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
}

/** Emits the results as they arrive and returns them in the order of the calls. A failed call is a result, too. */
export async function* runCalls(
  calls: readonly ToolCallPart[],
  context: CallContext,
): AsyncGenerator<TurnEvent, readonly ToolResultPart[]> {
  const definitions = new Map(context.offered.map((definition) => [definition.name, definition]));
  const startedAt = context.now();
  const arrived: { call: ToolCallPart; result: ToolResultPart; durationMs: number }[] = [];
  let onArrival = () => {};
  for (const call of calls) {
    void runCall(call, definitions.get(call.tool), context).then((result) => {
      arrived.push({ call, result, durationMs: context.now() - startedAt });
      onArrival();
    });
  }
  for (const { callId, tool } of calls) {
    const source = definitions.get(tool)?.source;
    yield { type: "tool.started", callId, tool, ...(source !== undefined && { source }) };
  }
  const results = new Map<ToolCallPart, ToolResultPart>();
  while (results.size < calls.length) {
    if (arrived.length === 0) await new Promise<void>((resolve) => (onArrival = resolve));
    for (const { call, result, durationMs } of arrived.splice(0)) {
      results.set(call, result);
      const { callId, tool, status } = result;
      yield { type: "tool.finished", callId, tool, status, durationMs, result };
    }
  }
  return calls.flatMap((call) => results.get(call) ?? []);
}

/** Never rejects. Does not wait for a tool that ignores the cancellation. */
async function runCall(
  call: ToolCallPart,
  definition: ToolDefinition | undefined,
  { tools, offered, problems, signal }: CallContext,
): Promise<ToolResultPart> {
  if (!definition) return unknownResult(call, offered);
  const problem = problems.get(call.callId);
  if (problem !== undefined) return invalidArgumentsResult(call, problem);
  try {
    const output = (async () => tools.call(call.tool, call.args, { signal, callId: call.callId }))();
    return outputResult(call, await abortable(output, signal), definition);
  } catch (thrown) {
    return thrownResult(call, thrown, definition);
  }
}
