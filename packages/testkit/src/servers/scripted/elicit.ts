/** The questions that the scripted server puts to its client, and how it quotes what came back. */
import type { RpcId, LinePeer, RpcReply } from "./line-peer.ts";

/** Elicits a form with one text field. */
export function elicit(peer: LinePeer, field = "name"): { id: RpcId; reply: Promise<RpcReply> } {
  return peer.request("elicitation/create", {
    message: `Please give ${field}`,
    requestedSchema: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
  });
}

/** The bare result, or `{"error": …}`. */
export function formatReply(reply: RpcReply): string {
  return JSON.stringify(reply.error === undefined ? reply.result : { error: reply.error });
}

/** Writes an answer that no call waits for to stderr. */
export function logAnswer(label: () => string, reply: Promise<RpcReply>): void {
  void reply.then((answer) => process.stderr.write(`${label()} ${formatReply(answer)}\n`));
}
