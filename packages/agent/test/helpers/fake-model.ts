/** A model that answers with given parts, without a network, and records its requests. */
import type { Model, ModelPart, ModelRequest } from "@plugboard/agent";

export const USAGE = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };

export interface FakeModel extends Model {
  readonly requests: ModelRequest[];
}

/** Each list of parts is one answer. */
export function fakeModel(answers: readonly (readonly ModelPart[])[], settings: Partial<Model> = {}): FakeModel {
  const requests: ModelRequest[] = [];
  const left = [...answers];
  return {
    id: "own/fake",
    ...settings,
    requests,
    async *stream(request) {
      requests.push(request);
      yield* left.shift() ?? [];
    },
  };
}

export const finish = (
  reason: Extract<ModelPart, { type: "finish" }>["reason"] = "stop",
  usage = USAGE,
): ModelPart => ({
  type: "finish",
  reason,
  usage,
});

export const say = (text: string): ModelPart[] => [{ type: "text", delta: text }, finish()];

export const call = (callId: string, tool: string, input = "{}"): ModelPart => ({
  type: "tool_call",
  callId,
  tool,
  input,
});
