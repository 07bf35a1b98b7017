/** Reads the arguments of the host's own tools and makes their results. */
import { HostError } from "@plugboard/contracts";
import type { HostErrorCode, JsonObject, ToolAnnotations, ToolResult } from "@plugboard/contracts";
import type { NativeRequest } from "./native-tool.ts";

/** Annotations of tools that only read. `openWorldHint` is true because they read from servers outside the host. */
export const READ_ONLY_ANNOTATIONS: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: true };

/** The input schema of a tool that lists items of one server or of all servers, page by page. */
export function listSchema(items: string): JsonObject {
  return {
    type: "object",
    properties: {
      server: { type: "string", description: `List only the ${items} of this server` },
      cursor: { type: "string", description: "The nextCursor of the previous page" },
    },
    additionalProperties: false,
  };
}

export function textToolResult(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}

/** Returns an error as a result that the model can read. Rethrows cancellations and internal errors. */
export async function resultOrError(run: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await run();
  } catch (thrown) {
    if (!(thrown instanceof HostError) || RETHROWN_CODES.has(thrown.code)) throw thrown;
    return { ...textToolResult(`${thrown.code}: ${thrown.message}`), isError: true };
  }
}

const RETHROWN_CODES: ReadonlySet<HostErrorCode> = new Set<HostErrorCode>(["CANCELLED", "HOST_CLOSED", "INTERNAL"]);

/** Returns the request that a call with the argument `server` sends. */
export function requestTo({ server }: JsonObject, method: string): NativeRequest | undefined {
  return typeof server === "string" ? { server, method } : undefined;
}

export function optionalString(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || typeof value === "string") return value;
  throw new HostError("INVALID_ARGUMENTS", { reason: `"${name}" must be a string` });
}

export function requiredString(args: JsonObject, name: string): string {
  const value = optionalString(args, name);
  if (value === undefined || value === "") throw new HostError("INVALID_ARGUMENTS", { reason: `"${name}" is missing` });
  return value;
}
