/** One conversation on a workspace. The daemon composes it with a host. */
export { ChatTools } from "./chat-tools.ts";
export { chatTitle } from "./chat-title.ts";
export { Conversation } from "./conversation.ts";
export { mergeModelVariables, modelVariables } from "./model-variables.ts";
export { readInput } from "./read-input.ts";
export { sampleMessage } from "./sample-message.ts";
export { systemPrompt } from "./system-prompt.ts";
