/**
 * Masks secrets in a command line, a script or any other text of several words. Masks words that look like a secret,
 * and the word or quoted text after a name such as `--token` or `PASSWORD=`. Shows all other commands and paths.
 */
import { isShownUrl } from "./looks-harmless.ts";
import { looksLikePath } from "./looks-like-path.ts";
import { looksLikeSecretInCode } from "./looks-like-secret.ts";
import { MASK, ENV_REFERENCE, maskDefaults, maskUnlessReference } from "./mask-references.ts";
import { maskUrl } from "./mask-url.ts";
import { knownProgram, passwordOption } from "./password-option.ts";
import type { SecretForm } from "./password-option.ts";
import { isSecretName } from "./is-secret-name.ts";

/** Matches characters between the words and commands of a shell script. */
const SEPARATOR = /[\s;|&<>()`]/;

const REFERENCE = String.raw`(?<!\$)\$\{[^}]*\}`;
/** Treats `&` as part of a URL only before another `name=`. Elsewhere it separates commands. */
const URL_TOKEN = String.raw`[a-z][a-z0-9+.-]*://(?:${REFERENCE}|[^\s"'${"`"};|<>()&$\\]|&(?=[\w.%-]+=))+`;
/** Matches a comment as one token, because quotes in a comment start no quoted text. */
const COMMENT = String.raw`(?<![^\s;|&()])#[^\n]*`;
const QUOTED = String.raw`"(?:\\[^]|[^"\\])*"|'[^']*'`;
const WORD = String.raw`(?:${REFERENCE}|\\["']|[^\s"'${"`"};|&<>(){},[\]])+`;
/** Matches the tokens of a script. Each character that belongs to no other token is a token of its own. */
const TOKENS = new RegExp(`${COMMENT}|${URL_TOKEN}|${QUOTED}|${WORD}|[^]`, "gi");
const COMMENT_TOKENS = new RegExp(`${URL_TOKEN}|${QUOTED}|${WORD}|[^]`, "gi");
/** Matches a value that contains no code. */
const PLAIN_VALUE = new RegExp(String.raw`^(?:${REFERENCE}|[\p{L}\p{N}_.+/=~%:@-])+$`, "u");
/** Matches a quoted text that may be code: it has shell operators, several lines, or the path of a program. */
const CODE = /[;|&`$()<>\n]|^!|(?:^|\s)(?:(?:\.{0,2}|~)\/|[a-z]:\\)/i;

export function hasMultipleWords(text: string): boolean {
  return SEPARATOR.test(text.replace(ENV_REFERENCE, ""));
}

/**
 * Matches a program without arguments: a name or a path. Checked first, because the patterns for scripts are slow to
 * compile.
 */
const PLAIN_PROGRAM = /^[\w./][\w./-]*$/;

/** Masks the whole text if a reference in it is malformed, because such a script can't run. */
export function maskScript(text: string): string {
  if (PLAIN_PROGRAM.test(text)) return maskParts(text);
  const masked = maskDefaults(text, (fallback) => maskWords(fallback, "other"));
  return masked === undefined ? MASK : maskWords(masked, "other");
}

/**
 * The role of a token, which the tokens before it decide. `joined`: the value directly after `NAME=`. A `SecretForm`:
 * the value after an option such as `--token`. `other`: any other text.
 */
type TokenRole = "joined" | SecretForm | "other";

function maskWords(text: string, firstRole: TokenRole, tokenPattern = TOKENS): string {
  const executed = executedVariables(text);
  let masked = "";
  let role = firstRole;
  /** The program whose options may be passwords. Empty before the first such program and after a separator. */
  let program = "";
  for (const token of text.match(tokenPattern) ?? []) {
    if (/^[ \t]$/.test(token)) {
      // In a shell, the word after `NAME= ` is a command and not the value.
      if (role === "joined") role = "other";
      masked += token;
      continue;
    }
    if (SEPARATOR.test(token) && token.length === 1) program = "";
    const option = passwordOption(program, token);
    if (option) {
      // The options after `sshpass -p X ssh` belong to ssh.
      if (option.form === "secret") program = "";
      role = option.value === "" ? option.form : "other";
      masked += `${option.name}${option.value && maskWord(option.value, option.form)}`;
      continue;
    }
    program = knownProgram(token) ?? program;
    const [maskedToken, nextRole] = maskToken(token, role, executed);
    masked += maskedToken;
    role = nextRole;
  }
  return masked;
}

/** Matches a variable that the script runs: `$NAME` where a command begins. */
const EXECUTED = /(?:^|[;|&(`{\n]|\b(?:exec|eval|then|do|else|sudo|command|source)\b)[ \t]*["']?\$\{?(\w+)/g;

/** Returns the variables that hold a program. Their values are shown, even if their names are those of secrets. */
function executedVariables(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(EXECUTED), ([, name = ""]) => name));
}

function isUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

/** Returns the masked token and the role of the next one. */
function maskToken(
  token: string,
  role: TokenRole,
  executed: ReadonlySet<string>,
): [maskedToken: string, nextRole: TokenRole] {
  const quote = /^(["'])[^]*\1$/.exec(token)?.[1];
  if (quote !== undefined && token.length > 1) {
    return [`${quote}${maskQuoted(token.slice(1, -1), role)}${quote}`, "other"];
  }
  const [, hashes, comment] = /^(#+)([^]+)$/.exec(token) ?? [];
  if (hashes !== undefined && comment !== undefined) {
    return [`${hashes}${maskWords(comment, "other", COMMENT_TOKENS)}`, "other"];
  }
  if (isUrl(token)) {
    const isShown = role === "other" || (role === "secret" && isShownUrl(token));
    return [isShown ? (maskUrl(token) ?? MASK) : MASK, "other"];
  }
  const isPunctuation = !/[\p{L}\p{N}]/u.test(token);
  // A single punctuation mark separates commands or values, so the next token is no longer the value of an option.
  if (isPunctuation) return [token, token.length > 1 ? role : "other"];
  const [, name, separator, value] = /^([^=:]+)([=:])([^]*)$/.exec(token) ?? [];
  if (name !== undefined && value !== undefined && isUrl(value) && (isShownUrl(value) || !isSecretName(name))) {
    return [`${name}${separator}${maskUrl(value) ?? MASK}`, "other"];
  }
  if (name !== undefined && value !== undefined && isSecretName(name) && !executed.has(name)) {
    if (value === "") return [token, separator === "=" ? "joined" : "secret"];
    return [`${name}${separator}${maskWord(value, "secret")}`, "other"];
  }
  const isAuthScheme = /^(?:bearer|basic)$/i.test(token);
  if (isAuthScheme) return [token, "secret"];
  const isLongOption = /^--[a-z][\w-]*$/i.test(token);
  if (isLongOption) return [token, isSecretName(token) ? "secret" : "other"];
  const isShortOption = /^-[a-z]$/i.test(token);
  return [isShortOption ? token : maskWord(token, role), "other"];
}

/** Masks the text between quotes. */
function maskQuoted(text: string, role: TokenRole): string {
  if (role === "other") return maskWords(text, role);
  if (role === "user:password") return maskUserPassword(text);
  const withoutReferences = text.replace(/\$\{\w+\}/g, "");
  if (withoutReferences === "") return text;
  return CODE.test(withoutReferences) || looksLikePath(text) ? maskWords(text, "secret") : MASK;
}

/** Masks the whole word after the name of a secret. Elsewhere, masks only the parts that look like a secret. */
function maskWord(word: string, role: TokenRole): string {
  if (role === "user:password") return maskUserPassword(word);
  if (role === "other" || !PLAIN_VALUE.test(word) || looksLikePath(word)) return maskParts(word);
  return maskUnlessReference(word);
}

/** Masks the password of `user:password`. */
function maskUserPassword(text: string): string {
  const colon = text.indexOf(":");
  if (colon < 0) return maskWords(text, "other");
  const [userAndColon, password] = [text.slice(0, colon + 1), text.slice(colon + 1)];
  return maskParts(userAndColon) + maskQuoted(password, "secret");
}

/** Masks the parts of a path that look like a secret. */
function maskParts(word: string): string {
  return word
    .split(/([\\/])/)
    .map((part) => (looksLikeSecretInCode(part.replace(ENV_REFERENCE, "")) ? MASK : part))
    .join("");
}
