/** Exports for the chats and the commands: tools in a form for model providers, and the texts that a model can read. */
export { modelVisibleText } from "./tools/model-visible-text.ts";
export type { VisibleText } from "./tools/model-visible-text.ts";
export { toModelTool } from "./tools/provider-tool-formats.ts";
