/** Suggests a permission rule for calls like the one that the user is asked about. Pure. */
import { NATIVE_SERVER_ID } from "@plugboard/contracts";
import type { Json, PermissionQuestion } from "@plugboard/contracts";

/** Returns undefined if the call has no argument that a pattern could describe. */
export function suggestRule({
  server,
  tool,
  arguments: args,
}: Pick<PermissionQuestion, "server" | "tool" | "arguments">): string | undefined {
  // A rule without the command would allow every command.
  if ("command" in args && exactPattern(args["command"]) === undefined) return undefined;
  const isOnlyPath = server === NATIVE_SERVER_ID && FILE_TOOLS.has(tool);
  const described = Object.entries(args).filter(([name]) => !isOnlyPath || name === "path");
  const patterns = described.flatMap(([name, value]) => {
    const pattern = name === "command" ? exactPattern(value) : folderPattern(value);
    return pattern === undefined ? [] : [`${quote(name, /^[\w-]+$/)}=${quote(pattern, /^[^,)("\s\\]+$/)}`];
  });
  const isNamed = patterns.length > 0 && patterns.length <= MAX_PATTERNS && /^[^\s()]+$/.test(tool);
  return isNamed ? `${server}:${tool}(${patterns.join(", ")})` : undefined;
}

/** The native tools whose other arguments are content, which is different in each call. */
const FILE_TOOLS = new Set(["write_file", "edit_file"]);
const MAX_PATTERNS = 4;
/** Longer values, such as the content of a file, are different in each call. */
const MAX_LENGTH = 200;

/**
 * The path of a file and a URL become a pattern for their folder. Other values must be the same. A path without a file
 * extension may be a folder itself, so the pattern must not include what is next to it.
 */
function folderPattern(value: Json | undefined): string | undefined {
  const exact = exactPattern(value);
  const [, folder, host, name = ""] = /^(([a-z]+:\/\/[^/]+)?\/(?:[^/?#]+\/)*)([^/?#]+)$/i.exec(exact ?? "") ?? [];
  if (folder === undefined || folder === "/") return exact;
  return host === undefined && !FILE_NAME.test(name) ? exact : `${folder}*`;
}

/** A name with an extension, such as `a.md`. A name such as `.config` has none. */
const FILE_NAME = /[^.].*\.[a-z]\w*$/i;

/** Returns undefined for a value that no pattern matches exactly, and for a long one. */
function exactPattern(value: Json | undefined): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || value === "" || value.length > MAX_LENGTH) return undefined;
  return value.includes("\n") || value.includes("*") ? undefined : value;
}

function quote(text: string, plain: RegExp): string {
  return plain.test(text) ? text : JSON.stringify(text);
}
