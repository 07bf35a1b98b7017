/** Checks the arguments of a call before it is sent, and its result. */
import { HostError, isJsonObject, SCHEMA_MISMATCH_KEY } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { parseToolResult } from "@plugboard/mcp";
import type { UnmetSchemas } from "../tools/unmet-schemas.ts";
import type { Call } from "./call.ts";
import { renameServerInError } from "./rename-server-in-error.ts";
import type { CompleteOutcome, FailedOutcome, FinalOutcome } from "./run-to-completion.ts";
import { formatProblems } from "./schemas/check-result.ts";
import type { CheckResult } from "./schemas/check-result.ts";
import type { SchemaChecks } from "./schemas/schema-checks.ts";

export interface CheckPorts {
  readonly checks: SchemaChecks;
}

export interface CheckResultPorts extends CheckPorts {
  readonly unmetSchemas: UnmetSchemas;
}

/** Throws or rejects with INVALID_ARGUMENTS. Checks the arguments once for each definition of the tool. */
export function checkArguments(call: Call, { checks }: CheckPorts): Promise<void> | undefined {
  if (call.isChecked) return undefined;
  const result = checks.arguments(call.definition!, call.effectiveArguments);
  if (result instanceof Promise) return result.then((late) => acceptArguments(late, call));
  acceptArguments(result, call);
  return undefined;
}

/**
 * Fails the call if its result has no content. A result that does not match its output schema loses its structured
 * content. With `strictResults` it fails the call. Errors name the server by its id in the workspace.
 */
export function checkResult(
  final: FinalOutcome,
  call: Call,
  ports: CheckResultPorts,
): FinalOutcome | Promise<FinalOutcome> {
  const { server, tool, definition } = call;
  if (final.type === "failed") return { type: "failed", error: renameServerInError(final.error, server) };
  const { result } = final;
  call.result = parseToolResult(result);
  if (!call.result) return unexpectedResponse(server, `the result of "${tool}" has no content`);
  if (!definition?.outputSchema || result["isError"] === true) return final;
  const checked = ports.checks.result(definition, result["structuredContent"]);
  return checked instanceof Promise
    ? checked.then((late) => acceptResult(late, final, call, ports))
    : acceptResult(checked, final, call, ports);
}

export function toolNotFound({ server, tool, connection }: Call): HostError {
  const name = `${server}:${tool}`;
  const dropped = connection?.lastCatalog.dropped.find((one) => one.tool === tool);
  if (dropped) return new HostError("TOOL_UNUSABLE", { tool: name, reason: dropped.reason });
  return new HostError("TOOL_NOT_FOUND", { tool: name });
}

function acceptArguments(result: CheckResult, call: Call): void {
  const { server, tool } = call;
  if (!result.ok) {
    throw new HostError("INVALID_ARGUMENTS", { reason: formatProblems(result.problems), tool: `${server}:${tool}` });
  }
  call.isChecked = true;
}

function acceptResult(
  checked: CheckResult,
  final: CompleteOutcome,
  call: Call,
  { unmetSchemas }: CheckResultPorts,
): FinalOutcome {
  if (checked.ok) return final;
  const { server, tool, definition, definitionHash } = call;
  const problems = formatProblems(checked.problems);
  if (call.strictResults)
    return unexpectedResponse(server, `the result of "${tool}" does not match its output schema: ${problems}`);
  unmetSchemas.add(definitionHash, definition!);
  call.hasSchemaMismatch = true;
  const result = withoutStructure(final.result, problems);
  call.result = parseToolResult(result);
  return { type: "complete", result };
}

/** Turns the structured content into text if the result has no text, so that the caller still gets it. */
function withoutStructure(result: JsonObject, problems: string): JsonObject {
  const { structuredContent, content, _meta: meta, ...others } = result;
  const blocks = Array.isArray(content) ? content : [];
  const isLost = structuredContent !== undefined && !blocks.some((block) => isJsonObject(block) && "text" in block);
  return {
    ...others,
    content: isLost ? [...blocks, { type: "text", text: JSON.stringify(structuredContent) }] : blocks,
    _meta: { ...(isJsonObject(meta) && meta), [SCHEMA_MISMATCH_KEY]: problems },
  };
}

function unexpectedResponse(server: string, reason: string): FailedOutcome {
  return { type: "failed", error: new HostError("UNEXPECTED_RESPONSE", { server, reason }) };
}
