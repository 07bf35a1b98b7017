/**
 * The definition of a tool of the conformance fixture. A tool is written once, for the modern revision: it can return
 * questions, and then runs again with the answers. The legacy server sends the questions as requests to the client.
 */
import type { CallToolResult, InputRequest, LoggingLevel } from "@modelcontextprotocol/server";

export interface ConformanceTool {
  readonly description: string;
  readonly inputSchema: ToolSchema;
  readonly run: (call: ToolCall) => ToolReply | Promise<ToolReply>;
}

export interface ToolSchema {
  readonly type: "object";
  readonly [keyword: string]: unknown;
}

export interface ToolCall {
  readonly args: { readonly [name: string]: unknown };
  /** The answers to the questions of the previous round, as the client sent them. */
  readonly answers: { readonly [key: string]: unknown };
  /** The state that the previous round returned. */
  readonly state: unknown;
  readonly capabilities: { readonly [name: string]: unknown };
  readonly progress: (progress: number, total: number) => Promise<void>;
  readonly log: (level: LoggingLevel, data: unknown) => Promise<void>;
  /** Closes the response stream, so that the client has to reconnect. Does nothing where streams can't be resumed. */
  readonly closeStream: () => void;
  readonly listChanged: (list: "tools" | "prompts") => void;
}

export interface Questions {
  readonly questions: { readonly [key: string]: InputRequest };
  readonly state?: unknown;
}

export type ToolReply = CallToolResult | Questions;

const NO_ARGUMENTS: ToolSchema = { type: "object", properties: {} };

export function conformanceTool(
  description: string,
  run: ConformanceTool["run"],
  inputSchema: ToolSchema = NO_ARGUMENTS,
): ConformanceTool {
  return { description, inputSchema, run };
}

export function textReply(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}
