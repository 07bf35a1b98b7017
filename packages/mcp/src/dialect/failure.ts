/** Turns what ended a request into a failed outcome. */
import { HostError, toHostError } from "@plugboard/contracts";
import type { PeerError } from "@plugboard/contracts";
import type { Op } from "./op.ts";
import type { Outcome } from "./outcome.ts";

export function failed(thrown: unknown): Outcome {
  return { type: "failed", error: toHostError(thrown) };
}

/** The server answered the request itself with an error; its words are kept as the cause. */
export function refused(server: string, op: Op, error: PeerError): Outcome {
  const said = { server, code: error.code, message: cut(error.message) };
  if (op.method === "tools/call") {
    return failed(new HostError("TOOL_EXECUTION_FAILED", { ...said, tool: op.params.name }, { cause: error }));
  }
  return failed(new HostError("REQUEST_FAILED", { ...said, method: op.method }, { cause: error }));
}

const MAX_WORDS = 4000;

/** Errors are kept and shown; a server's essay need not be. The whole is in the cause. */
function cut(text: string): string {
  return text.length <= MAX_WORDS ? text : `${text.slice(0, MAX_WORDS)}…`;
}
