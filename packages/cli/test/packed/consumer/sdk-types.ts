/** Tool types of the official SDKs of model providers. */

/** Tool of @anthropic-ai/sdk. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: { type: "object"; properties?: unknown; required?: Array<string> | null; [key: string]: unknown };
}

/** ChatCompletionFunctionTool of openai. */
export interface ChatTool {
  type: "function";
  function: { name: string; description?: string; parameters?: Record<string, unknown>; strict?: boolean | null };
}

/** FunctionTool of openai's responses. */
export interface ResponsesTool {
  type: "function";
  name: string;
  description?: string | null;
  parameters: { [key: string]: unknown } | null;
  strict: boolean | null;
}
