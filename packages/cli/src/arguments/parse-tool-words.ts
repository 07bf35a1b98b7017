/**
 * Reads which tool the words of a command line may mean. Besides `server:tool`, people write `server.tool`,
 * `server/tool`, `server tool`, the tool alone, and calls such as `server.tool(path: "x")`. Pure.
 */
import type { JsonObject } from "@plugboard/contracts";
import { isArgumentWord } from "./parse-argument-word.ts";
import { parseCallExpression } from "./parse-call-expression.ts";

export interface ToolWords {
  /** The tools that the words may mean, most exact first. Only the servers show which of them exists. */
  readonly candidates: readonly ToolCandidate[];
  /** The remaining words, which are arguments. */
  readonly words: readonly string[];
}

export interface ToolCandidate {
  /** Undefined for a tool of any server. */
  readonly server?: string;
  readonly tool: string;
  /** True if the server was named in the form `server:tool`. */
  readonly isExact?: true;
  /** The arguments of a call such as `tool(path: "x")`. */
  readonly args?: JsonObject;
}

/** Throws USAGE for a call that can't be read. */
export function parseToolWords(word: string, words: readonly string[]): ToolWords {
  const [next, ...others] = words;
  // The second word is no argument, because it has no "=". So it is the tool, and the first word is the server.
  if (next !== undefined && SERVER_ID.test(word) && !isArgumentWord(next))
    return { candidates: [{ server: word, tool: next }], words: others };
  const call = word.includes("(") ? parseCallExpression(word) : undefined;
  const called = call ? parseCallee(call.callee).map((candidate) => ({ ...candidate, args: call.args })) : [];
  // After `server:`, the parentheses may also be part of the tool's name, so both readings are candidates.
  return { candidates: [...(call && !splitAtColon(word) ? [] : parseCallee(word)), ...called], words };
}

const SERVER_ID = /^[\w-]+$/;

function parseCallee(callee: string): readonly ToolCandidate[] {
  const exact = splitAtColon(callee);
  if (exact) return [{ ...exact, isExact: true }];
  // The ids of servers contain neither dots nor slashes, so the first of them ends the id.
  const [, server, tool] = /^([\w-]+)[./](.+)$/s.exec(callee) ?? [];
  const split = server !== undefined && tool !== undefined ? [{ server, tool }] : [];
  return [...split, { tool: callee }];
}

/** Returns undefined if there is no colon, or only one within the parentheses of a call. */
function splitAtColon(word: string): { readonly server: string; readonly tool: string } | undefined {
  const colon = word.indexOf(":");
  if (colon < 1 || word.slice(0, colon).includes("(")) return undefined;
  return { server: word.slice(0, colon), tool: word.slice(colon + 1) };
}
