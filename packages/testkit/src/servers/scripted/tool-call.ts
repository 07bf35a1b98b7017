/** One `tools/call` in flight on the scripted server. It is answered once; after a cancel, not at all. */
import type { Id, Json, LinePeer } from "./line-peer.ts";

export interface ScriptedTool {
  readonly inputSchema: Json;
  run(call: ToolCall): void | Promise<void>;
}

export type Tools = { readonly [name: string]: ScriptedTool };

export class ToolCall {
  readonly #peer: LinePeer;
  readonly #ended: () => void;
  #open = true;

  readonly id: Id;
  readonly args: Json;
  readonly progressToken: Id | undefined;

  constructor(peer: LinePeer, id: Id, args: Json, progressToken: Id | undefined, ended: () => void) {
    this.#peer = peer;
    this.#ended = ended;
    this.id = id;
    this.args = args;
    this.progressToken = progressToken;
  }

  get open(): boolean {
    return this.#open;
  }

  answer(text: string, isError = false): void {
    const result = { content: [{ type: "text", text }], ...(isError ? { isError } : {}) };
    this.answerRaw({ result });
  }

  answerRaw(body: Json): void {
    if (this.#open) this.#peer.send({ id: this.id, ...body });
    this.abandon();
  }

  abandon(): void {
    this.#open = false;
    this.#ended();
  }
}

type Properties = { readonly [name: string]: Json };

export function tool(run: ScriptedTool["run"], required: Properties = {}, optional: Properties = {}): ScriptedTool {
  const properties = { ...required, ...optional };
  return { inputSchema: { type: "object", properties, required: Object.keys(required) }, run };
}
