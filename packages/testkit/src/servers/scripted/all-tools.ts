/** All tools of the scripted server, in the order of its list. */
import { clientRequestTools } from "./client-request-tools.ts";
import { faultyTools } from "./faulty-tools.ts";
import { pendingCallTools } from "./pending-call-tools.ts";
import type { LinePeer } from "./line-peer.ts";
import { plainTools } from "./plain-tools.ts";
import type { ScriptedTools } from "./scripted-call.ts";

export function allTools(peer: LinePeer): ScriptedTools {
  return { ...plainTools(peer), ...clientRequestTools(peer), ...pendingCallTools(peer), ...faultyTools(peer) };
}
