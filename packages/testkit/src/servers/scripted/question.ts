/** The questions that the scripted server puts to its client, and how it quotes what came back. */
import type { Id, LinePeer, Reply } from "./line-peer.ts";

/** Elicits a form with one text field. */
export function elicit(peer: LinePeer, field = "name"): { id: Id; reply: Promise<Reply> } {
  return peer.ask("elicitation/create", {
    message: `Please give ${field}`,
    requestedSchema: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
  });
}

/** The bare result, or `{"error": …}`. */
export function quote(reply: Reply): string {
  return JSON.stringify(reply.error === undefined ? reply.result : { error: reply.error });
}

/** Writes an answer that no call waits for to stderr. */
export function noteAnswer(label: () => string, reply: Promise<Reply>): void {
  void reply.then((answer) => process.stderr.write(`${label()} ${quote(answer)}\n`));
}
