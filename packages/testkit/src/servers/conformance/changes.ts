/**
 * Whether the conformance fixture offers its changing tool and its changing prompt. Stored for the whole process,
 * because over HTTP there are many server objects.
 */
export const changes = { tool: false, prompt: false };
