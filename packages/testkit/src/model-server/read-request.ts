/** Parses a request in one of the three wire formats for the test, and checks whether a real model would accept it. */
import type { IncomingHttpHeaders } from "node:http";

export type Wire = "messages" | "chat" | "responses";

export interface ModelServerRequest extends ParsedRequest {
  readonly headers: IncomingHttpHeaders;
  /** Resolves when the response has ended or the client has closed the connection. */
  readonly closed: Promise<void>;
}

export interface ParsedRequest {
  readonly wire: Wire;
  readonly body: RequestBody;
  readonly model: string;
  readonly toolNames: readonly string[];
  /** The system prompt. */
  readonly system: string;
  /** All calls and results in the history, in order. */
  readonly calls: readonly HistoryCall[];
  readonly results: readonly HistoryResult[];
}

export interface HistoryCall {
  readonly id: string;
  readonly tool: string;
}

export interface HistoryResult {
  readonly id: string;
  readonly text: string;
  /** Only Anthropic's format has it. */
  readonly isError: boolean;
}

// oxlint-disable-next-line typescript/no-explicit-any -- the formats are checked by the readers
export type RequestBody = { readonly model: string; readonly [name: string]: any };

export function readRequest(wire: Wire, body: RequestBody): ParsedRequest {
  return { wire, body, model: body.model, ...READERS[wire](body) };
}

/** Returns why a real model would reject the history: each call needs exactly one result. */
export function findHistoryError({ calls, results }: ParsedRequest): string | undefined {
  const open = new Set<string>();
  for (const { id } of calls) {
    if (open.has(id)) return `two calls have the id "${id}"`;
    open.add(id);
  }
  for (const { id } of results) {
    if (!open.delete(id)) return `no tool was called as "${id}"`;
  }
  return open.size > 0 ? `no result for ${[...open].join(", ")}` : undefined;
}

type Reader = (body: RequestBody) => Omit<ParsedRequest, "wire" | "body" | "model">;

const READERS: { readonly [W in Wire]: Reader } = {
  messages: ({ messages, tools = [], system = [] }) => {
    const blocks = messages.flatMap(({ content }: RequestBody) => (typeof content === "string" ? [] : content));
    return {
      toolNames: tools.map(({ name }: { name: string }) => name),
      system: system.map(({ text }: { text: string }) => text).join("\n"),
      calls: ofType(blocks, "tool_use").map(({ id, name }) => ({ id, tool: name })),
      results: ofType(blocks, "tool_result").map(({ tool_use_id, content, is_error }) => ({
        id: tool_use_id,
        text: toText(content),
        isError: is_error === true,
      })),
    };
  },
  chat: ({ messages, tools = [] }) => ({
    toolNames: tools.map((tool: RequestBody) => tool["function"].name),
    system: systemText(messages),
    calls: messages
      .flatMap(({ tool_calls = [] }: RequestBody) => tool_calls)
      .map((call: RequestBody) => ({ id: call["id"], tool: call["function"].name })),
    results: messages
      .filter(({ role }: RequestBody) => role === "tool")
      .map(({ tool_call_id, content }: RequestBody) => ({ id: tool_call_id, text: toText(content), isError: false })),
  }),
  responses: ({ input, tools = [] }) => ({
    toolNames: tools.map(({ name }: { name: string }) => name),
    system: systemText(input),
    calls: ofType(input, "function_call").map(({ call_id, name }) => ({ id: call_id, tool: name })),
    results: ofType(input, "function_call_output").map(({ call_id, output }) => ({
      id: call_id,
      text: toText(output),
      isError: false,
    })),
  }),
};

function ofType(items: readonly RequestBody[], type: string): readonly RequestBody[] {
  return items.filter((item) => item["type"] === type);
}

function systemText(messages: readonly RequestBody[]): string {
  return messages
    .filter(({ role }) => role === "system" || role === "developer")
    .map(({ content }) => toText(content))
    .join("\n");
}

function toText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: string }) => part.text ?? "").join("");
}
