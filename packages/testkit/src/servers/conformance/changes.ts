/** What the conformance fixture offers besides its fixed lists. Stored for the whole process, as over HTTP many servers share it. */
export const changes = { tool: false, prompt: false };
