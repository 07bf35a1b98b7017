/** Runs the calls of an answer in parallel, up to a limit. */
import { abortable } from "@plugboard/contracts";
import type { ChatEvent, ChatToolCall, ChatToolResult } from "@plugboard/contracts";
import { invalidArgumentsResult, notRunResult, outputResult, thrownResult, unknownResult } from "./tool-result.ts";
import type { ToolDefinition, Tools } from "./tools.ts";

export interface TurnCallContext {
  readonly tools: Tools;
  /** The definitions that the model got with the request. */
  readonly offered: readonly ToolDefinition[];
  /** Why the arguments of a call are invalid, by call id. */
  readonly problems: ReadonlyMap<string, string>;
  /** How many calls run at the same time. The others wait in the order of the answer. */
  readonly parallel: number;
  readonly signal: AbortSignal;
  /** Returns monotonic milliseconds. */
  readonly now: () => number;
}

/** Emits the results as they arrive and returns them in the order of the calls. A failed call is a result, too. */
export async function* runCalls(
  calls: readonly ChatToolCall[],
  context: TurnCallContext,
): AsyncGenerator<ChatEvent, readonly ChatToolResult[]> {
  const { signal, now, offered, parallel } = context;
  const definitions = new Map(offered.map((definition) => [definition.name, definition]));
  const waiting = [...calls];
  const events: ChatEvent[] = [];
  const results = new Map<ChatToolCall, ChatToolResult>();
  let running = 0;
  let onEvent = () => {};

  const finish = (call: ChatToolCall, result: ChatToolResult, durationMs: number) => {
    results.set(call, result);
    const { callId, tool, status } = result;
    events.push({ type: "tool.finished", callId, tool, status, durationMs, result });
  };
  const start = (call: ChatToolCall) => {
    const { callId, tool, source } = call;
    const definition = definitions.get(tool);
    const startedAt = now();
    running += 1;
    events.push({ type: "tool.started", callId, tool, ...(source !== undefined && { source }) });
    void runCall(call, definition, context).then((result) => {
      running -= 1;
      finish(call, result, Math.round(now() - startedAt));
      startNext();
      onEvent();
    });
  };
  const startNext = () => {
    if (signal.aborted) for (const call of waiting.splice(0)) finish(call, notRunResult(call, CANCELLED), 0);
    for (const call of waiting.splice(0, parallel - running)) start(call);
  };

  startNext();
  while (results.size < calls.length || events.length > 0) {
    if (events.length === 0) await new Promise<void>((resolve) => (onEvent = resolve));
    yield* events.splice(0);
  }
  return calls.flatMap((call) => results.get(call) ?? []);
}

const CANCELLED = "the turn was cancelled before the call began";

/** Never rejects. Does not wait for a tool that ignores the cancellation. */
async function runCall(
  call: ChatToolCall,
  definition: ToolDefinition | undefined,
  { tools, offered, problems, signal }: TurnCallContext,
): Promise<ChatToolResult> {
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
