import type { ToolAnnotations } from "@plugboard/contracts";

/** These tools ask servers for something and change nothing. */
export const READ_ONLY_ANNOTATIONS: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: true };
