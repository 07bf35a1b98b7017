/** The instructions for the model of a chat. Pure. */

interface SystemPromptOptions {
  readonly cwd: string;
  readonly platform: string;
  /** Instructions that the user adds. */
  readonly instructions?: string | undefined;
}

/** Contains nothing that changes during a chat, so that prompt caches stay valid. */
export function systemPrompt({ cwd, platform, instructions }: SystemPromptOptions): string {
  const lines = [
    "You are an assistant in Plugboard. You work for one user and use the tools that the user's MCP servers offer.",
    "Use a tool when it helps, and answer directly when none is needed. Say what you did, briefly, in Markdown.",
    "A call may need the user's permission. If a call is denied, do not repeat it; choose another way or ask the user.",
    "If a tool fails, read its message and correct the arguments, or try another tool.",
    `The working folder is ${cwd} on ${platform}.`,
  ];
  return [lines.join("\n"), ...(instructions === undefined ? [] : [instructions])].join("\n\n");
}
