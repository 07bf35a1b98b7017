/** Resolves a word on the command line to a server, to `server:tool`, or to the tool name that models see. */
import { HostError } from "@plugboard/contracts";
import type { OfferedTool, ServerStatus } from "@plugboard/contracts";
import { nearest } from "@plugboard/host/internal";

/**
 * Returns the server that the word names, or undefined if it may be a tool of any server. A server's id takes
 * precedence over a tool's name. Throws SERVER_UNKNOWN for a word that is close to a server's id.
 */
export function findServerId(name: string, servers: readonly ServerStatus[]): string | undefined {
  const known = servers.map(({ id }) => id);
  if (name.includes(":")) return name.slice(0, name.indexOf(":"));
  if (known.includes(name)) return name;
  if (nearest(name, known) !== undefined) throw new HostError("SERVER_UNKNOWN", { server: name, known });
  return undefined;
}

export function findTool(name: string, tools: readonly OfferedTool[]): OfferedTool | undefined {
  return tools.find((tool) => name === qualifiedName(tool) || name === tool.name);
}

export function toolNotFound(name: string, tools: readonly OfferedTool[]): HostError {
  const suggestion = nearest(name, tools.map(name.includes(":") ? qualifiedName : modelName));
  return new HostError("TOOL_NOT_FOUND", { tool: name, ...(suggestion !== undefined && { suggestion }) });
}

function qualifiedName({ server, tool }: OfferedTool): string {
  return `${server}:${tool}`;
}

function modelName({ name }: OfferedTool): string {
  return name;
}
