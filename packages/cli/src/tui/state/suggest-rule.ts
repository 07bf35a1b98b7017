/** Suggests a permission rule for calls like the one that the user is asked about. Pure. */
import type { Json, PermissionQuestion } from "@plugboard/contracts";

/** Returns undefined if the call has no argument that a pattern could describe. */
export function suggestRule({
  server,
  tool,
  arguments: args,
}: Pick<PermissionQuestion, "server" | "tool" | "arguments">): string | undefined {
  // A rule without the command would allow every command.
  if ("command" in args && exactPattern(args["command"]) === undefined) return undefined;
  const patterns = Object.entries(args).flatMap(([name, value]) => {
    const pattern = name === "command" ? exactPattern(value) : folderPattern(value);
    return pattern === undefined ? [] : [`${quote(name, /^[\w-]+$/)}=${quote(pattern, /^[^,)("\s\\]+$/)}`];
  });
  const isNamed = patterns.length > 0 && patterns.length <= MAX_PATTERNS && /^[^\s()]+$/.test(tool);
  return isNamed ? `${server}:${tool}(${patterns.join(", ")})` : undefined;
}

const MAX_PATTERNS = 4;
/** Longer values, such as the content of a file, are different in each call. */
const MAX_LENGTH = 200;

/** A path or URL becomes a pattern for its folder. Other values must be the same. */
function folderPattern(value: Json | undefined): string | undefined {
  const exact = exactPattern(value);
  const [, folder] = /^((?:[a-z]+:\/\/[^/]+)?\/(?:[^/?#]+\/)*)[^/?#]+$/i.exec(exact ?? "") ?? [];
  return folder === undefined || folder === "/" ? exact : `${folder}*`;
}

/** Returns undefined for a value that no pattern matches exactly, and for a long one. */
function exactPattern(value: Json | undefined): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || value === "" || value.length > MAX_LENGTH) return undefined;
  return value.includes("\n") || value.includes("*") ? undefined : value;
}

function quote(text: string, plain: RegExp): string {
  return plain.test(text) ? text : JSON.stringify(text);
}
