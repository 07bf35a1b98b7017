/** Everything the scripted server offers, in the order it is listed. */
import { askingTools } from "./asking-tools.ts";
import { faultyTools } from "./faulty-tools.ts";
import { holdingTools } from "./holding-tools.ts";
import type { LinePeer } from "./line-peer.ts";
import { plainTools } from "./plain-tools.ts";
import type { Tools } from "./tool-call.ts";

export function allTools(peer: LinePeer): Tools {
  return { ...plainTools(peer), ...askingTools(peer), ...holdingTools(peer), ...faultyTools(peer) };
}
