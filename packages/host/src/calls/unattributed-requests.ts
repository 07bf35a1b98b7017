/** Finds who must answer a server's request that names no call, and asks that person. */
import { sameCaller } from "@plugboard/contracts";
import type { QuestionOwner } from "@plugboard/contracts";
import type { CallInFlight, OnUnattributedRequest } from "@plugboard/mcp";
import { askUser } from "./ask-user.ts";
import type { AskUserPorts } from "./ask-user.ts";

export function handleUnattributedRequests(server: string, ports: AskUserPorts): OnUnattributedRequest {
  return (ask, inFlight, signal) => {
    const owner = questionOwner(inFlight);
    const isFront = owner !== "workspace" && owner.kind === "front";
    // A front can be asked only as part of one of its calls. Any of its calls will do.
    const call = isFront ? inFlight.findLast((one) => one.active) : undefined;
    if (call) return call;
    return askUser({ owner: isFront ? "workspace" : owner, server }, ports)(ask, signal);
  };
}

/**
 * Returns the caller if all calls in flight are from one caller, otherwise the workspace. `inFlight` includes
 * cancelled calls that the server has not answered yet.
 */
export function questionOwner(inFlight: readonly CallInFlight[]): QuestionOwner {
  const [first, ...others] = inFlight;
  if (!first) return "workspace";
  return others.every((other) => sameCaller(other.caller, first.caller)) ? first.caller : "workspace";
}
