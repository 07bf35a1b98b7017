/** The streamed answer of OpenAI's Chat Completions API. Servers compatible with it add `reasoning_content`. */
import type { ModelServerRequest } from "./read-request.ts";
import { pieces } from "./writer.ts";
import type { AnswerWriter, Frame } from "./writer.ts";

export function chatWriter({ model }: ModelServerRequest, number: number): AnswerWriter {
  const base = { id: `chatcmpl-${number}`, object: "chat.completion.chunk", created: 0, model };
  let calls = 0;

  function delta(delta: object, finish_reason: string | null = null): Frame {
    return { data: { ...base, choices: [{ index: 0, delta, finish_reason }] } };
  }

  function callDelta(call: object): Frame {
    return delta({ tool_calls: [{ index: calls - 1, ...call }] });
  }

  return {
    start: () => [delta({ role: "assistant", content: "" })],
    text: (text) => pieces(text).map((content) => delta({ content })),
    reasoning: (text) => pieces(text).map((reasoning_content) => delta({ reasoning_content })),
    call(name, input, id = `call_${number}_${calls}`) {
      calls += 1;
      return [
        callDelta({ id, type: "function", function: { name, arguments: "" } }),
        ...pieces(input).map((piece) => callDelta({ function: { arguments: piece } })),
      ];
    },
    error: (type, message) => [{ data: { error: { type, message, code: type, param: null } } }],
    finish(reason, { input = 1, output = 1, cacheRead = 0 } = {}) {
      const prompt_tokens = input + cacheRead;
      const usage = {
        prompt_tokens,
        completion_tokens: output,
        total_tokens: prompt_tokens + output,
        prompt_tokens_details: { cached_tokens: cacheRead },
      };
      return [delta({}, reason), { data: { ...base, choices: [], usage } }, { data: "[DONE]" }];
    },
  };
}
