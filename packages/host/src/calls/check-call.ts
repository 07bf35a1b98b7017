/** Checks the arguments of a call before it is sent, and its result. */
import { HostError } from "@plugboard/contracts";
import { parseToolResult } from "@plugboard/mcp";
import type { Call } from "./call.ts";
import { renameServerInError } from "./rename-server-in-error.ts";
import type { CompleteOutcome, FailedOutcome, FinalOutcome } from "./run-to-completion.ts";
import { formatProblems } from "./schemas/check-result.ts";
import type { CheckResult } from "./schemas/check-result.ts";
import type { SchemaChecks } from "./schemas/schema-checks.ts";

export interface CheckPorts {
  readonly checks: SchemaChecks;
}

/** Throws or rejects with INVALID_ARGUMENTS. Checks them once for each definition of the tool. */
export function checkArguments(call: Call, { checks }: CheckPorts): Promise<void> | undefined {
  if (call.isChecked) return undefined;
  const result = checks.arguments(call.definition!, call.effectiveArguments);
  if (result instanceof Promise) return result.then((late) => acceptArguments(late, call));
  acceptArguments(result, call);
  return undefined;
}

/** Fails the call if its result is invalid. Names the server in its error by its id in the workspace. */
export function checkResult(final: FinalOutcome, call: Call, ports: CheckPorts): FinalOutcome | Promise<FinalOutcome> {
  const { server, tool, definition } = call;
  if (final.type === "failed") return { type: "failed", error: renameServerInError(final.error, server) };
  const { result } = final;
  call.result = parseToolResult(result);
  if (!call.result) return unexpectedResponse(server, `the result of "${tool}" has no content`);
  if (!definition?.outputSchema || result["isError"] === true) return final;
  const checked = ports.checks.result(definition, result["structuredContent"]);
  return checked instanceof Promise
    ? checked.then((late) => acceptResult(late, final, call))
    : acceptResult(checked, final, call);
}

export function toolNotFound({ server, tool }: Call): HostError {
  return new HostError("TOOL_NOT_FOUND", { tool: `${server}:${tool}` });
}

function acceptArguments(result: CheckResult, call: Call): void {
  const { server, tool } = call;
  if (!result.ok) {
    throw new HostError("INVALID_ARGUMENTS", { reason: formatProblems(result.problems), tool: `${server}:${tool}` });
  }
  call.isChecked = true;
}

function acceptResult(result: CheckResult, final: CompleteOutcome, { server, tool }: Call): FinalOutcome {
  if (result.ok) return final;
  const reason = `the result of "${tool}" does not match its output schema: ${formatProblems(result.problems)}`;
  return unexpectedResponse(server, reason);
}

function unexpectedResponse(server: string, reason: string): FailedOutcome {
  return { type: "failed", error: new HostError("UNEXPECTED_RESPONSE", { server, reason }) };
}
