/**
 * Matches the arguments of a call against a rule's patterns. Pure, and linear in the size of the call.
 *
 * An `allow` is strict: it matches only a single value at the path, compares a URL part by part, and does not let `*`
 * match a second command. An `ask` or a `deny` is broad: it also searches lists and objects, and compares all
 * spellings of a URL. A missing argument never matches.
 */
import { isJsonObject } from "@plugboard/contracts";
import type { Json, JsonObject } from "@plugboard/contracts";
import type { ArgumentPattern, Rule } from "@plugboard/config";
import { looksLikeUrl, urlSpellings } from "@plugboard/config";

export function matchesArguments({ effect, arguments: patterns }: Rule, args: JsonObject): boolean {
  const matches = effect === "allow" ? matchesAtPath : matchesAnywhere;
  return patterns.every((pattern) => matches(pattern, args));
}

function matchesAtPath({ path, value: glob, url }: ArgumentPattern, args: JsonObject): boolean {
  let value: Json | undefined = args;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return false;
    value = value[name];
  }
  const text = textOf(value);
  if (text === undefined || !glob.matches(text)) return false;
  // The pattern is the whole text, or `*` for any text, so the user meant exactly this.
  if (glob.exact || glob.literalLength === 0) return true;
  // A `*` in a URL must stay within its part of the URL, and any other pattern must not match a URL by accident.
  if (url ? !url.matches(text) : looksLikeUrl(text)) return false;
  // `npm *` must not match `npm test; rm -r .`.
  if (path.at(-1) === "command" && SHELL_SYNTAX.test(text)) return false;
  // `docs/*` must not match `docs/../keys`.
  return countParentSteps(text) <= countParentSteps(glob.pattern);
}

/** The characters by which a shell (sh or cmd.exe) runs another command, opens a file or inserts a variable. */
const SHELL_SYNTAX = /[;&|<>$`()%^!\p{Cc}\p{Zl}\p{Zp}]/u;

/** Does not recurse, because a call may nest its arguments at any depth. */
function matchesAnywhere(pattern: ArgumentPattern, args: JsonObject): boolean {
  const { path } = pattern;
  const stack: { readonly value: Json | undefined; readonly depth: number }[] = [{ value: args, depth: 0 }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, depth } = next;
    const name = path[depth];
    if (name !== undefined && isJsonObject(value)) {
      if (Object.hasOwn(value, name)) stack.push({ value: value[name], depth: depth + 1 });
      continue;
    }
    const inner = typeof value === "object" && value !== null ? Object.values(value) : [];
    for (const item of inner) stack.push({ value: item, depth });
    // Null, an empty list and an empty object match as an empty text.
    if (name === undefined && inner.length === 0 && matchesAnySpelling(pattern, textOf(value) ?? "")) return true;
  }
  return false;
}

/** Compares the text as written, and a URL in all its spellings. An unparsable URL matches every URL pattern. */
function matchesAnySpelling({ value: glob, url, normalisedValue }: ArgumentPattern, text: string): boolean {
  if (glob.matches(text)) return true;
  const spellings = urlSpellings(text);
  return spellings === undefined ? url !== undefined : spellings.some((spelling) => normalisedValue.matches(spelling));
}

function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? JSON.stringify(value) : undefined;
}

/**
 * Counts the `..` segments of a path or URL, also percent-encoded ones. Ignores characters that parsers ignore: tabs,
 * line breaks, NUL, and spaces at the end of a segment.
 */
function countParentSteps(text: string): number {
  const cleaned = text.replace(/[\0\t\n\r]/g, "");
  if (!cleaned.includes("..") && !cleaned.includes("%")) return 0;
  return cleaned.split(/[/\\?#]|%2f|%5c/i).filter((segment) => /^(?:\.|%2e){2} *$/i.test(segment)).length;
}
