/** Writes the parts of an answer as the events of a wire format. */
import type { AnswerUsage } from "./answer.ts";

export interface AnswerWriter {
  start(usage?: AnswerUsage): readonly Frame[];
  text(text: string): readonly Frame[];
  reasoning(text: string): readonly Frame[];
  call(tool: string, input: string, id?: string): readonly Frame[];
  error(type: string, message: string): readonly Frame[];
  finish(reason: "stop" | "tool_calls" | "length", usage?: AnswerUsage): readonly Frame[];
}

/** A server-sent event. */
export interface Frame {
  readonly event?: string;
  readonly data: object | string;
}

/** Splits a text in two, because real models send it in small pieces. */
export function pieces(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}
