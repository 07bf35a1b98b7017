/** Turns what ended a request into a failed outcome. */
import { HostError, toHostError } from "@plugboard/contracts";
import type { PeerError } from "@plugboard/contracts";
import type { Op } from "./op.ts";
import type { Outcome } from "./outcome.ts";

export function failedOutcome(thrown: unknown): Outcome {
  return { type: "failed", error: toHostError(thrown) };
}

/** The server answered the request itself with an error; its words are kept as the cause. */
export function peerErrorOutcome(server: string, op: Op, error: PeerError): Outcome {
  const details = { server, code: error.code, message: truncate(error.message) };
  if (op.method === "tools/call") {
    return failedOutcome(
      new HostError("TOOL_EXECUTION_FAILED", { ...details, tool: op.params.name }, { cause: error }),
    );
  }
  return failedOutcome(new HostError("REQUEST_FAILED", { ...details, method: op.method }, { cause: error }));
}

const MAX_MESSAGE_CHARS = 4000;

/** Errors are kept and shown; a server's essay need not be. The whole is in the cause. */
function truncate(text: string): string {
  return text.length <= MAX_MESSAGE_CHARS ? text : `${text.slice(0, MAX_MESSAGE_CHARS)}…`;
}
