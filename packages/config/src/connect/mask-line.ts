/** Masks the values in one line of a config file, which may contain secrets of other servers. Pure. */
import { isSecretName } from "../redaction/is-secret-name.ts";
import { looksLikeSecret } from "../redaction/looks-like-secret.ts";
import { MASK } from "../redaction/mask-references.ts";
import type { Syntax } from "../clients/syntax/parse-document.ts";

/** Shows keys, numbers, `true` and `false`, harmless comments, the address of a `$schema`, and the texts in `shown`. */
export function maskLine(line: string, syntax: Syntax, shown: ReadonlySet<string>): string {
  const [, indent = "", body = ""] = /^(\s*)(.*)$/s.exec(line)!;
  if (isComment(body, syntax)) return indent + maskComment(body);
  return indent + (syntax === "yaml" ? maskYaml(body, shown) : maskQuoted(body, syntax, shown));
}

const STRING = /"(?:[^"\\]|\\.)*"|'[^']*'/g;
/** The punctuation that remains of a line of JSON or TOML without its strings and bare words. */
const STRUCTURE = /^[\s{}[\],:=.]*$/;
/** A line inside a list may start with a bracket, too, but no name follows it. */
const TOML_HEADER = /^\[{1,2}\s*[A-Za-z_][\w-]*[^,=]*\]\s*$/;
const SCHEMA_KEY = /"\$schema"\s*:\s*$/;
/** A bare key, a boolean, null, a number or a date. */
const BARE_WORD = /[A-Za-z_][\w-]*(?=\s*[=.\]])|\b(?:true|false|null)\b|-?\d[\d._:TZ+-]*/g;

function isComment(body: string, syntax: Syntax): boolean {
  return syntax === "json" ? /^(?:\/\/|\/\*|\*)/.test(body) : body.startsWith("#");
}

function maskComment(body: string): string {
  const words = body.split(/\s+/);
  const isSuspicious = words.some((word) => isSecretName(word) || looksLikeSecret(word));
  return isSuspicious ? `${/^(?:\/\/|\/\*|\*|#)/.exec(body)![0]} ${MASK}` : body;
}

function maskQuoted(body: string, syntax: Syntax, shown: ReadonlySet<string>): string {
  const [code, comment] = splitComment(body, syntax);
  // A line inside a multi-line string has other characters, too, and is masked completely.
  const structure = code.replaceAll(STRING, "").replaceAll(BARE_WORD, "");
  if (!STRUCTURE.test(structure) || /"""|'''/.test(code)) return MASK;
  const isHeader = syntax === "toml" && TOML_HEADER.test(code.replaceAll(STRING, '""'));
  const masked = code.replaceAll(STRING, (text, offset: number) => {
    const following = code.slice(offset + text.length).trimStart()[0];
    const isKey = isHeader || following === (syntax === "json" ? ":" : "=");
    const isSchema = SCHEMA_KEY.test(code.slice(0, offset)) && !looksLikeSecret(unquote(text));
    return isKey || isSchema || shown.has(unquote(text)) ? text : `${text[0]}${MASK}${text[0]}`;
  });
  return masked + (comment === "" ? "" : maskComment(comment));
}

function splitComment(body: string, syntax: Syntax): [code: string, comment: string] {
  const pattern = syntax === "json" ? /\/\/|\/\*/ : /#/;
  const withoutStrings = body.replaceAll(STRING, (text) => "_".repeat(text.length));
  const index = withoutStrings.search(pattern);
  return index < 0 ? [body, ""] : [body.slice(0, index), body.slice(index)];
}

function maskYaml(body: string, shown: ReadonlySet<string>): string {
  const [, prefix = "", rest = ""] = /^((?:- )*(?:[\w.-]+:(?=\s|$)\s*)?)(.*)$/s.exec(body)!;
  const isHarmless = /^(?:true|false|null|~|-?\d[\d.]*|[|>][+-]?|\{\}|\[\]|---|)$/.test(rest);
  return prefix + (isHarmless || shown.has(unquote(rest)) ? rest : MASK);
}

/** Returns the text of a string. A string with unusual escapes stays quoted. */
function unquote(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  if (!text.startsWith('"')) return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}
