/** Decides which servers and tools the argument of `plugboard tools` means. Pure. */
import { HostError, nearest } from "@plugboard/contracts";
import type { ServerStatus } from "@plugboard/contracts";
import { parseToolWords } from "../../arguments/parse-tool-words.ts";
import type { ToolCandidate } from "../../arguments/parse-tool-words.ts";
import { findNamed } from "./resolve-tool.ts";

export interface ToolListFilter {
  /** The only server whose tools are shown. Undefined for all servers. */
  readonly server?: string;
  /** Set if the word names a tool. */
  readonly candidates?: readonly ToolCandidate[];
}

/** A server's id has priority over a tool's name. Throws SERVER_UNKNOWN for a word that is similar to a server's id. */
export function parseToolFilter(word: string, servers: readonly ServerStatus[]): ToolListFilter {
  const known = servers.map(({ id }) => id);
  if (known.includes(word)) return { server: word };
  const { candidates } = parseToolWords(word, []);
  const named = findNamed(candidates, known);
  if (named) return { server: named.server, candidates };
  const suggestion = nearest(word, known);
  if (suggestion !== undefined) throw new HostError("SERVER_UNKNOWN", { server: word, known, suggestion });
  return { candidates };
}
