/** Which server or tool a word on the command line means: a server, `server:tool`, or a model-visible name. */
import { HostError } from "@plugboard/contracts";
import type { OfferedTool, ServerStatus } from "@plugboard/contracts";
import { nearest } from "@plugboard/host";

/** The server that must be there to tell; nothing when only all of them can. A server's name goes before a tool's. */
export function serverNamed(word: string, servers: readonly ServerStatus[]): string | undefined {
  const known = servers.map(({ id }) => id);
  if (word.includes(":")) return word.slice(0, word.indexOf(":"));
  if (known.includes(word)) return word;
  if (nearest(word, known) !== undefined) throw new HostError("SERVER_UNKNOWN", { server: word, known });
  return undefined;
}

export function findTool(word: string, tools: readonly OfferedTool[]): OfferedTool | undefined {
  return tools.find((tool) => word === pairOf(tool) || word === tool.name);
}

export function toolNotFound(word: string, tools: readonly OfferedTool[]): HostError {
  const near = nearest(word, tools.map(word.includes(":") ? pairOf : nameOf));
  return new HostError("TOOL_NOT_FOUND", { tool: word, ...(near !== undefined && { near }) });
}

function pairOf({ server, tool }: OfferedTool): string {
  return `${server}:${tool}`;
}

function nameOf({ name }: OfferedTool): string {
  return name;
}
