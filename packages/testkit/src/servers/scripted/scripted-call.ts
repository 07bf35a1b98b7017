/** One pending `tools/call` of the scripted server. It is answered once, or not at all after a cancellation. */
import type { RpcId, RpcObject, LinePeer } from "./line-peer.ts";

export interface ScriptedTool {
  readonly inputSchema: RpcObject;
  run(call: ScriptedCall): void | Promise<void>;
}

export type ScriptedTools = { readonly [name: string]: ScriptedTool };

export class ScriptedCall {
  readonly #peer: LinePeer;
  readonly #onEnd: () => void;
  #open = true;

  readonly id: RpcId;
  readonly args: RpcObject;
  readonly progressToken: RpcId | undefined;

  constructor(peer: LinePeer, id: RpcId, args: RpcObject, progressToken: RpcId | undefined, onEnd: () => void) {
    this.#peer = peer;
    this.#onEnd = onEnd;
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

  answerRaw(body: RpcObject): void {
    if (this.#open) this.#peer.send({ id: this.id, ...body });
    this.abandon();
  }

  abandon(): void {
    this.#open = false;
    this.#onEnd();
  }
}

/** JSON Schemas by argument name. */
type Properties = { readonly [name: string]: RpcObject };

export function scriptedTool(
  run: ScriptedTool["run"],
  { required = {}, optional = {} }: { readonly required?: Properties; readonly optional?: Properties } = {},
): ScriptedTool {
  const properties = { ...required, ...optional };
  return { inputSchema: { type: "object", properties, required: Object.keys(required) }, run };
}
