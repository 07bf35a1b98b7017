/**
 * Masks secrets in a command line, a script or any other text of several words. Shows commands and paths in full.
 * Masks only words that look like a secret, and words or quoted texts that follow a secret's name.
 */
import { looksLikePath } from "./looks-like-path.ts";
import { looksLikeSecretInCode } from "./looks-like-secret.ts";
import { MASK, ENV_REFERENCE, maskDefaults } from "./mask-references.ts";
import { maskUrl } from "./mask-url.ts";
import { knownProgram, passwordOption } from "./password-option.ts";
import type { SecretForm } from "./password-option.ts";
import { isSecretName } from "./is-secret-name.ts";

const SEPARATOR = /[\s;|&<>()`]/;

const REFERENCE = String.raw`(?<!\$)\$\{[^}]*\}`;
/** Treats `&` as part of a URL only before another `name=`. Elsewhere it separates commands. */
const URL_TOKEN = String.raw`[a-z][a-z0-9+.-]*://(?:${REFERENCE}|[^\s"'${"`"};|<>()&$\\]|&(?=[\w.%-]+=))+`;
/** Matches a comment as one token, because quotes in a comment start no quoted text. */
const COMMENT = String.raw`(?<![^\s;|&()])#[^\n]*`;
const QUOTED = String.raw`"(?:\\[^]|[^"\\])*"|'[^']*'`;
const WORD = String.raw`(?:${REFERENCE}|\\["']|[^\s"'${"`"};|&<>(){},[\]])+`;
const TOKENS = new RegExp(`${COMMENT}|${URL_TOKEN}|${QUOTED}|${WORD}|[^]`, "gi");
const COMMENT_TOKENS = new RegExp(`${URL_TOKEN}|${QUOTED}|${WORD}|[^]`, "gi");
/** Matches a value that contains no code. */
const PLAIN_VALUE = new RegExp(String.raw`^(?:${REFERENCE}|[\p{L}\p{N}_.+/=~%:@-])+$`, "u");
/** Matches a quoted text that may be code: it has shell operators, several lines, or the path of a program. */
const CODE = /[;|&`$()<>\n]|^!|(?:^|\s)(?:(?:\.{0,2}|~)\/|[a-z]:\\)/i;

export function hasMultipleWords(text: string): boolean {
  return SEPARATOR.test(text.replace(ENV_REFERENCE, ""));
}

/** Masks a text with a malformed reference as a whole, because it can't run. */
export function maskScript(text: string): string {
  const masked = maskDefaults(text, (fallback) => maskWords(fallback, "other"));
  return masked === undefined ? MASK : maskWords(masked, "other");
}

/** `joined`: the value directly after `NAME=`. `secret` and `login`: the value after an option. `other`: any other text. */
type TokenRole = "joined" | SecretForm | "other";

function maskWords(text: string, first: TokenRole, tokens = TOKENS): string {
  let role = first;
  let program = "";
  return (text.match(tokens) ?? [])
    .map((token) => {
      if (/^[ \t]$/.test(token)) {
        // In a shell, a command follows `NAME= `.
        if (role === "joined") role = "other";
        return token;
      }
      if (SEPARATOR.test(token) && token.length === 1) program = "";
      const option = passwordOption(program, token);
      if (option) {
        // The options after `sshpass -p X ssh` belong to ssh.
        if (option.form === "secret") program = "";
        role = option.value === "" ? option.form : "other";
        return `${option.name}${option.value && maskWord(option.value, option.form)}`;
      }
      program = knownProgram(token) ?? program;
      const [shown, next] = maskToken(token, role);
      role = next;
      return shown;
    })
    .join("");
}

/** Returns the shown token and the role of the next one. */
function maskToken(token: string, role: TokenRole): [shown: string, next: TokenRole] {
  const quote = /^(["'])[^]*\1$/.exec(token)?.[1];
  if (quote !== undefined && token.length > 1) {
    return [`${quote}${maskQuoted(token.slice(1, -1), role)}${quote}`, "other"];
  }
  const [, marks, comment] = /^(#+)([^]+)$/.exec(token) ?? [];
  if (marks !== undefined && comment !== undefined) {
    return [`${marks}${maskWords(comment, "other", COMMENT_TOKENS)}`, "other"];
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(token)) return [role === "other" ? (maskUrl(token) ?? MASK) : MASK, "other"];
  // A line break or a separator starts another command.
  if (!/[\p{L}\p{N}]/u.test(token)) return [token, token.length > 1 ? role : "other"];
  const [, name, separator, value] = /^([^=:]+)([=:])([^]*)$/.exec(token) ?? [];
  if (name !== undefined && value !== undefined && isSecretName(name)) {
    if (value === "") return [token, separator === "=" ? "joined" : "secret"];
    return [`${name}${separator}${maskWord(value, "secret")}`, "other"];
  }
  if (/^(?:bearer|basic)$/i.test(token)) return [token, "secret"];
  if (/^--[a-z][\w-]*$/i.test(token)) return [token, isSecretName(token) ? "secret" : "other"];
  return [/^-[a-z]$/i.test(token) ? token : maskWord(token, role), "other"];
}

function maskQuoted(text: string, role: TokenRole): string {
  if (role === "other") return maskWords(text, role);
  if (role === "login") return maskUserPassword(text);
  const bare = text.replace(/\$\{\w+\}/g, "");
  if (bare === "") return text;
  return CODE.test(bare) || looksLikePath(text) ? maskWords(text, "secret") : MASK;
}

function maskWord(word: string, role: TokenRole): string {
  if (role === "login") return maskUserPassword(word);
  if (role === "other" || !PLAIN_VALUE.test(word) || looksLikePath(word)) return maskParts(word);
  return word.replace(ENV_REFERENCE, "") === "" ? word : MASK;
}

/** Masks the password of `user:password`. */
function maskUserPassword(text: string): string {
  const at = text.indexOf(":") + 1;
  return at === 0 ? maskWords(text, "other") : maskParts(text.slice(0, at)) + maskQuoted(text.slice(at), "secret");
}

function maskParts(word: string): string {
  return word
    .split(/([\\/])/)
    .map((part) => (looksLikeSecretInCode(part.replace(ENV_REFERENCE, "")) ? MASK : part))
    .join("");
}
