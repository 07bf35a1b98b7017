/** Elicitation requests of the scripted server, and the formatting of their answers. */
import type { RpcId, LinePeer, RpcReply } from "./line-peer.ts";

/** Elicits a form with one text field. */
export function elicit(peer: LinePeer, field = "name"): { id: RpcId; reply: Promise<RpcReply> } {
  return peer.request("elicitation/create", {
    message: `Please give ${field}`,
    requestedSchema: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
  });
}

/** Returns the result, or `{"error": …}`, as JSON. */
export function formatReply(reply: RpcReply): string {
  return JSON.stringify(reply.error === undefined ? reply.result : { error: reply.error });
}

/** Writes the answer to stderr, because no call waits for it. */
export function logAnswer(label: () => string, reply: Promise<RpcReply>): void {
  void reply.then((answer) => process.stderr.write(`${label()} ${formatReply(answer)}\n`));
}
