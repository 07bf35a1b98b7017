/** Decides which servers and tools a profile selects. Pure. */
import { parseGlob } from "@plugboard/config";
import type { Profile } from "@plugboard/contracts";
import type { ToolKey } from "../names/name-table.ts";

export interface Selection {
  /** A server of which no tool can be selected is hidden as a whole, with its resources and prompts. */
  includesServer(server: string): boolean;
  includesTool(tool: ToolKey): boolean;
}

export function selectionOf({ servers, tools = {} }: Pick<Profile, "servers" | "tools">): Selection {
  const include = tools.include?.map(parsePattern);
  const exclude = (tools.exclude ?? []).map(parsePattern);
  const includesServer = (server: string) =>
    (servers === undefined || servers.includes(server)) &&
    (include === undefined || include.some((pattern) => pattern.matchesServer(server))) &&
    !exclude.some((pattern) => pattern.isWholeServer && pattern.matchesServer(server));
  return {
    includesServer,
    includesTool: (key) =>
      includesServer(key.server) &&
      (include === undefined || include.some((pattern) => pattern.matches(key))) &&
      !exclude.some((pattern) => pattern.matches(key)),
  };
}

interface ToolPattern {
  /** True if the pattern matches every tool of its servers. */
  readonly isWholeServer: boolean;
  matchesServer(server: string): boolean;
  matches(tool: ToolKey): boolean;
}

/** Parses `server:tool`, with `*` for any characters. `*` alone matches every tool. */
function parsePattern(text: string): ToolPattern {
  const [, serverText = "*", toolText = "*"] = /^(.*?):(.*)$/s.exec(text) ?? [];
  const server = parseGlob(serverText);
  const tool = parseGlob(toolText);
  return {
    isWholeServer: !tool.exact && tool.literalLength === 0,
    matchesServer: (id) => server.matches(id),
    matches: (key) => server.matches(key.server) && tool.matches(key.tool),
  };
}
