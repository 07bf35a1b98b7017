/**
 * Parses the text of another client's file: JSON with comments, TOML or YAML. The file may come from anybody, so size
 * and aliases are limited. The parsers of TOML and YAML are loaded on first use.
 */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { JsonObject } from "@plugboard/contracts";
import type { Node } from "jsonc-parser";
import { groupByKey, membersOf, nodeValue } from "../../parse/members.ts";
import { parseConfigText } from "../../parse/parse-config-text.ts";
import type { Member } from "../../parse/members.ts";
import { MAX_YAML_CHARS, parseYaml } from "../../lib/parse-yaml.ts";
import { MAX_DEPTH, toJson } from "../../lib/to-json.ts";

export type Syntax = "json" | "toml" | "yaml";

/** The maximum sizes, which no hand-written file reaches. YAML has a lower limit, because its parser is slow. */
const MAX_CHARS = { toml: 1024 * 1024, yaml: MAX_YAML_CHARS };

export function syntaxOf(path: string): Syntax {
  if (/\.toml$/i.test(path)) return "toml";
  return /\.ya?ml$/i.test(path) ? "yaml" : "json";
}

/** Throws CONFIG_INVALID, with the position if the parser knows it. */
export async function parseDocument(file: string, text: string, syntax: Syntax): Promise<JsonObject> {
  const value = syntax === "json" ? parseJson(file, text) : await parseOther(file, text, syntax);
  if (isJsonObject(value)) return value;
  throw configError(file, "the file must contain an object");
}

function parseJson(file: string, text: string): unknown {
  const {
    root,
    empty,
    positionOf,
    syntaxErrors: [syntaxError],
  } = parseConfigText(text);
  if (empty) throw configError(file, "the file is empty; it must contain an object");
  if (syntaxError) throw configError(file, `not JSON: ${syntaxError.message}`, syntaxError);
  const duplicate = root && findDuplicateServer(root);
  if (duplicate) {
    throw configError(file, `${JSON.stringify(duplicate.key)} occurs twice`, positionOf(duplicate.keyNode));
  }
  return root && nodeValue(root);
}

/** The keys of all clients whose value contains servers. */
const SERVER_KEYS: ReadonlySet<string> = new Set(["mcpServers", "servers", "mcp", "context_servers", "extensions"]);

/** Finds a duplicate among the keys that contain servers and all keys below them. One of the two would be ignored. */
function findDuplicateServer(node: Node, isBelowServers = false): Member | undefined {
  if (node.type === "array")
    return firstDefined(node.children ?? [], (item) => findDuplicateServer(item, isBelowServers));
  return firstDefined([...groupByKey(membersOf(node))], ([key, members]) => {
    const isServers = isBelowServers || SERVER_KEYS.has(key);
    if (isServers && members.length > 1) return members[1];
    return firstDefined(members, ({ valueNode }) => findDuplicateServer(valueNode, isServers));
  });
}

function firstDefined<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function parseOther(file: string, text: string, syntax: "toml" | "yaml"): Promise<unknown> {
  const maxChars = MAX_CHARS[syntax];
  if (text.length > maxChars) throw configError(file, `it is longer than ${maxChars} characters`);
  const body = text.replace(/^\ufeff/, "");
  try {
    return syntax === "toml" ? toJson(await parseToml(body)) : await parseYaml(body);
  } catch (error) {
    const { message, line, column } = describeParseError(error);
    const position = line !== undefined && column !== undefined ? { line, column } : undefined;
    throw configError(file, `not ${syntax.toUpperCase()}: ${message}`, position, error);
  }
}

async function parseToml(text: string): Promise<unknown> {
  const { parse } = await import("smol-toml");
  return parse(text, { maxDepth: MAX_DEPTH });
}

interface ParseErrorInfo {
  readonly message: string;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

const MAX_MESSAGE_CHARS = 120;

/** Drops all parts of a message in which the parsers quote the file, because the file may contain a secret. */
function describeParseError(error: unknown): ParseErrorInfo {
  const { message, line, column, linePos } = error as Error & {
    line?: number;
    column?: number;
    linePos?: [{ line: number; col: number }];
  };
  const summary = message.split("\n", 1)[0]!.replace(/^Invalid TOML document: /, "");
  const withoutPosition = summary.replace(/ at line \d+, column \d+:?$/, "");
  // The YAML parser also quotes the file after a colon, and quotes tags anywhere.
  const withoutQuotes = withoutPosition.replace(/: .*$/s, "").replace(/!\S+/g, "!…").slice(0, MAX_MESSAGE_CHARS);
  return { message: withoutQuotes, line: line ?? linePos?.[0].line, column: column ?? linePos?.[0].col };
}

function configError(
  file: string,
  reason: string,
  position?: { readonly line: number; readonly column: number },
  cause?: unknown,
): HostError {
  const place = position && { line: position.line, column: position.column };
  return new HostError("CONFIG_INVALID", { file, ...place, reason }, { cause });
}
