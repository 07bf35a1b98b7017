/** The streamed answer of OpenAI's Responses API. */
import type { AnswerUsage } from "./answer.ts";
import type { ModelServerRequest } from "./read-request.ts";
import { pieces } from "./writer.ts";
import type { AnswerWriter, Frame } from "./writer.ts";

export function responsesWriter({ model }: ModelServerRequest, number: number): AnswerWriter {
  const response = { id: `resp_${number}`, object: "response", created_at: 0, model };
  const output: object[] = [];
  let sequence = 0;

  function frame(type: string, data: object): Frame {
    return { event: type, data: { type, sequence_number: sequence++, ...data } };
  }

  /** Writes an output item: its beginning, its parts, and the whole item. */
  function item(
    begun: { id: string },
    whole: object,
    parts: (at: { item_id: string; output_index: number }) => Frame[],
  ) {
    const output_index = output.length;
    output.push(whole);
    const added = frame("response.output_item.added", { output_index, item: begun });
    const middle = parts({ item_id: begun.id, output_index });
    return [added, ...middle, frame("response.output_item.done", { output_index, item: whole })];
  }

  return {
    start: () => [
      frame("response.created", { response: { ...response, status: "in_progress", output: [], usage: null } }),
    ],
    text(text) {
      const base = { id: `msg_${number}_${output.length}`, type: "message", role: "assistant" };
      const part = { type: "output_text", text, annotations: [], logprobs: [] };
      return item(
        { ...base, ...{ status: "in_progress", content: [] } },
        { ...base, status: "completed", content: [part] },
        (at) => [
          frame("response.content_part.added", { ...at, content_index: 0, part: { ...part, text: "" } }),
          ...pieces(text).map((delta) =>
            frame("response.output_text.delta", { ...at, content_index: 0, delta, logprobs: [] }),
          ),
          frame("response.output_text.done", { ...at, content_index: 0, text, logprobs: [] }),
          frame("response.content_part.done", { ...at, content_index: 0, part }),
        ],
      );
    },
    reasoning(text) {
      const base = { id: `rs_${number}_${output.length}`, type: "reasoning" };
      const part = { type: "summary_text", text };
      const encrypted_content = `encrypted:${text}`;
      return item(
        { ...base, ...{ summary: [], encrypted_content: "" } },
        { ...base, summary: [part], encrypted_content },
        (at) => [
          frame("response.reasoning_summary_part.added", { ...at, summary_index: 0, part: { ...part, text: "" } }),
          ...pieces(text).map((delta) =>
            frame("response.reasoning_summary_text.delta", { ...at, summary_index: 0, delta }),
          ),
          frame("response.reasoning_summary_text.done", { ...at, summary_index: 0, text }),
          frame("response.reasoning_summary_part.done", { ...at, summary_index: 0, part }),
        ],
      );
    },
    call(name, input, call_id = `call_${number}_${output.length}`) {
      const base = { id: `fc_${number}_${output.length}`, type: "function_call", call_id, name };
      return item(
        { ...base, ...{ arguments: "", status: "in_progress" } },
        { ...base, arguments: input, status: "completed" },
        (at) => [
          ...pieces(input).map((delta) => frame("response.function_call_arguments.delta", { ...at, delta })),
          frame("response.function_call_arguments.done", { ...at, name, arguments: input }),
        ],
      );
    },
    error: (type, message) => [frame("error", { code: type, message, param: null })],
    finish(reason, usage) {
      const isCut = reason === "length";
      const status = isCut ? "incomplete" : "completed";
      const incomplete_details = isCut ? { reason: "max_output_tokens" } : null;
      const whole = { ...response, status, output, incomplete_details, usage: toUsage(usage) };
      return [frame(`response.${status}`, { response: whole })];
    },
  };
}

function toUsage({ input = 1, output = 1, cacheRead = 0 }: AnswerUsage = {}): object {
  const input_tokens = input + cacheRead;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cacheRead },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + output,
  };
}
