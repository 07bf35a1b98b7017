/** Tools as models see them. */
export { modelVisibleText } from "./tools/model-visible-text.ts";
export type { VisibleText } from "./tools/model-visible-text.ts";
export { toModelTool } from "./tools/provider-tool-formats.ts";
