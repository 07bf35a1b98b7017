/** The capabilities that the gateway offers to its clients. */
import type { ServerCapabilities } from "@plugboard/mcp";

/** The gateway offers only tools. */
export const CAPABILITIES: ServerCapabilities = {
  tools: true,
  resources: false,
  prompts: false,
  completion: false,
  logging: false,
  tasks: false,
  subscribe: false,
  listChanged: { tools: true, resources: false, prompts: false },
};
