/**
 * Marks where Anthropic caches the beginning of a request: after the tools, after the system prompt, and after the last
 * two messages of the user or with results. The request before this one ended with the first of these two, so its cache
 * entry is found. Other providers need no breakpoints. Pure.
 */
import type { LanguageModelV3CallOptions, LanguageModelV3FunctionTool, LanguageModelV3Message } from "@ai-sdk/provider";

export function setCacheBreakpoints(options: LanguageModelV3CallOptions): LanguageModelV3CallOptions {
  const { prompt, tools } = options;
  const marked = new Set([...prompt.filter(({ role }) => role === "system"), ...prompt.filter(isInput).slice(-2)]);
  const last = tools?.at(-1);
  return {
    ...options,
    prompt: prompt.map((message) => (marked.has(message) ? { ...message, ...BREAKPOINT } : message)),
    ...(tools && {
      tools: tools.map((tool) => (tool === last ? { ...(tool as LanguageModelV3FunctionTool), ...BREAKPOINT } : tool)),
    }),
  };
}

const BREAKPOINT = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };

/** A request ends with a message of the user or with results. */
function isInput({ role }: LanguageModelV3Message): boolean {
  return role === "user" || role === "tool";
}
