/** Failures that a client of the gateway gets as a JSON-RPC error of the protocol. */
import { HostError } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import { INVALID_PARAMS, METHOD_NOT_FOUND, MISSING_CLIENT_CAPABILITY } from "@plugboard/mcp";
import type { Outcome } from "@plugboard/mcp";

/** Sent by legacy servers. The modern revision has no such code. */
const RESOURCE_NOT_FOUND = -32002;

export function invalidParams(method: string, message: string, data?: JsonObject): Outcome {
  return peerFailure(method, INVALID_PARAMS, message, data);
}

export function methodNotFoundOutcome(method: string, reason: string): Outcome {
  return peerFailure(method, METHOD_NOT_FOUND, `Method not found: ${method}`, { reason });
}

/** The failure that the specification requires if a client requests a task for a tool that does not run as a task. */
export function noTaskSupport(tool: string): Outcome {
  return peerFailure(
    "tools/call",
    METHOD_NOT_FOUND,
    `The tool "${tool}" does not run as a task. Call it without "task".`,
  );
}

export function resourceNotFound(uri: string): Outcome {
  return { type: "failed", error: unknownResource("resources/read", uri) };
}

export function unknownTask(method: string, taskId: string): Outcome {
  return invalidParams(method, `There is no task "${taskId}". Tasks end with the host: call the tool again.`);
}

/** The failure of reading a cut result that is not stored, or belongs to another client. */
export function unknownOutput(uri: string): Outcome {
  const message = `There is no output ${uri}. Outputs are kept while the host runs and has space: call the tool again.`;
  return invalidParams("resources/read", message, { uri });
}

/** The error of a request with a URI that no server owns. */
export function unknownResource(method: string, uri: string): HostError {
  return peerError(method, INVALID_PARAMS, `There is no resource ${uri}`, { uri });
}

/** The failure of a call that needs capabilities which the client does not declare. */
export function missingCapabilities(names: Iterable<string>, reason: string): Outcome {
  const requiredCapabilities = Object.fromEntries([...names].map((name) => [name, {}]));
  const message = `The client does not support ${Object.keys(requiredCapabilities).join(" and ")}: ${reason}`;
  return peerFailure("tools/call", MISSING_CLIENT_CAPABILITY, message, { requiredCapabilities });
}

/** Adds the client's URI to a server's error about an unknown resource. */
export function withResourceUri(outcome: Outcome, uri: string): Outcome {
  if (outcome.type !== "failed") return outcome;
  return { type: "failed", error: errorWithUri(outcome.error, "resources/read", uri) };
}

/** Adds the client's URI to the error if the server says that the resource is unknown. */
export function errorWithUri(error: HostError, method: string, uri: string): HostError {
  const { peer } = error;
  if (peer?.code !== RESOURCE_NOT_FOUND && peer?.code !== INVALID_PARAMS) return error;
  const { data } = peer;
  const details = typeof data === "object" && data !== null && !Array.isArray(data) ? data : {};
  return peerError(method, INVALID_PARAMS, peer.message, { ...details, uri });
}

function peerFailure(method: string, code: number, message: string, data?: JsonObject): Outcome {
  return { type: "failed", error: peerError(method, code, message, data) };
}

function peerError(method: string, code: number, message: string, data?: JsonObject): HostError {
  const cause = { code, message, ...(data && { data }) };
  return new HostError("REQUEST_FAILED", { server: "plugboard", method, code, message }, { cause });
}
