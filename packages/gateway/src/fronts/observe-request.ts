/** Records each request of a client as an operation: its duration, and a span whose parent the client may name. */
import type { Caller } from "@plugboard/contracts";
import { traceContextIn } from "@plugboard/host/tracing";
import type { Operation, Telemetry } from "@plugboard/host/tracing";
import type { FrontContext, Op, Outcome } from "@plugboard/mcp";

/**
 * Runs the request. Passes on the trace context of the span, so that the requests to servers become its children. A
 * request ends when the client is asked something: the answer is part of another request.
 */
export async function observeRequest(
  telemetry: Telemetry | undefined,
  { op, caller, ctx }: { readonly op: Op; readonly caller: Caller; readonly ctx: FrontContext },
  run: (ctx: FrontContext) => Promise<Outcome>,
): Promise<Outcome> {
  if (!telemetry) return run(ctx);
  const operation = telemetry.start(describeRequest(op, caller, ctx), traceContextIn(ctx.meta));
  const { trace } = operation;
  const outcome = await run(trace ? { ...ctx, meta: { ...ctx.meta, ...trace } } : ctx);
  operation.end(outcome);
  return outcome;
}

function describeRequest(op: Op, caller: Caller, { revision }: FrontContext): Operation {
  const { kind, id, principal } = caller;
  const hasSession = principal !== undefined && revision.hasSessions;
  return {
    side: "server",
    method: op.method === "extension" ? op.params.method : op.method,
    tool: op.method === "tools/call" ? op.params.name : undefined,
    prompt: op.method === "prompts/get" ? op.params.name : undefined,
    uri: op.method === "resources/read" ? op.params.uri : undefined,
    caller: kind,
    revision: revision.name,
    // Each legacy HTTP session is a caller of its own.
    session: hasSession ? id : undefined,
    transport: principal === undefined ? "pipe" : "tcp",
  };
}
