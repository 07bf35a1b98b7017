/** The streamed answer of Anthropic's Messages API. */
import type { AnswerUsage } from "./answer.ts";
import type { ModelServerRequest } from "./read-request.ts";
import { pieces } from "./writer.ts";
import type { AnswerWriter, Frame } from "./writer.ts";

const STOP_REASONS = { stop: "end_turn", tool_calls: "tool_use", length: "max_tokens" };

export function messagesWriter({ model }: ModelServerRequest, number: number): AnswerWriter {
  let index = -1;

  function block(start: object, deltas: readonly object[]): Frame[] {
    index += 1;
    return [
      frame("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => frame("content_block_delta", { index, delta })),
      frame("content_block_stop", { index }),
    ];
  }

  return {
    start: (usage) => [
      frame("message_start", {
        message: {
          id: `msg_${number}`,
          type: "message",
          role: "assistant",
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...inputUsage(usage), output_tokens: 1 },
        },
      }),
    ],
    text: (text) =>
      block(
        { type: "text", text: "" },
        pieces(text).map((piece) => ({ type: "text_delta", text: piece })),
      ),
    reasoning: (text) =>
      block({ type: "thinking", thinking: "", signature: "" }, [
        ...pieces(text).map((piece) => ({ type: "thinking_delta", thinking: piece })),
        { type: "signature_delta", signature: `signed:${text}` },
      ]),
    call: (name, input, id = `toolu_${number}_${index + 1}`) =>
      block(
        { type: "tool_use", id, name, input: {} },
        pieces(input).map((piece) => ({ type: "input_json_delta", partial_json: piece })),
      ),
    error: (type, message) => [frame("error", { error: { type, message } })],
    finish: (reason, usage) => [
      frame("message_delta", {
        delta: { stop_reason: STOP_REASONS[reason], stop_sequence: null },
        usage: { output_tokens: usage?.output ?? 1 },
      }),
      frame("message_stop", {}),
    ],
  };
}

function inputUsage({ input = 1, cacheRead = 0, cacheWrite = 0 }: AnswerUsage = {}): object {
  return { input_tokens: input, cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite };
}

function frame(type: string, data: object): Frame {
  return { event: type, data: { type, ...data } };
}
