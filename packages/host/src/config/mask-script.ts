/**
 * Masks secrets in a command line, a script or any other text of several words. Shows commands in full. Masks only
 * single words that follow a secret's name or look like a secret.
 */
import { looksLikeSecretInCode } from "./looks-like-secret.ts";
import { MASK, SHOWN_REFERENCE, maskDefaults } from "./mask-references.ts";
import { maskUrl } from "./mask-url.ts";
import { isSecretName } from "./secret-name.ts";

/** Separates words. */
const SEPARATOR = /[\s;|&<>()`]/;

const REFERENCE = String.raw`(?<!\$)\$\{[^}]*\}`;
/** Treats `&` as part of a URL only before another `name=`. Elsewhere it separates commands. */
const ADDRESS = String.raw`[a-z][a-z0-9+.-]*://(?:${REFERENCE}|[^\s"'${"`"};|<>()&$\\]|&(?=[\w.%-]+=))+`;
const TOKENS = new RegExp(`${ADDRESS}|"[^"]*"|'[^']*'|(?:${REFERENCE}|[^\\s"'\`;|&<>(){},[\\]])+|[^]`, "gi");
/** Matches a value that contains no code. */
const PLAIN_VALUE = new RegExp(`^(?:${REFERENCE}|[\\w.+/=~%:@-])+$`);

export function hasSeveralWords(text: string): boolean {
  return SEPARATOR.test(text.replace(SHOWN_REFERENCE, ""));
}

/** Returns MASK for a text with a malformed reference, which can't run. */
export function maskScript(text: string): string {
  const masked = maskDefaults(text, (fallback) => maskWords(fallback, false));
  return masked === undefined ? MASK : maskWords(masked, false);
}

/** `afterName` is true if the text follows a secret's name. */
function maskWords(text: string, afterName: boolean): string {
  let telling = afterName;
  return (text.match(TOKENS) ?? [])
    .map((token) => {
      if (/^[ \t]$/.test(token)) return token;
      const [shown, next] = maskToken(token, telling);
      telling = next;
      return shown;
    })
    .join("");
}

/** Returns the shown token, and whether the next token follows a secret's name. */
function maskToken(token: string, telling: boolean): [shown: string, telling: boolean] {
  const quote = /^(["'])[^]*\1$/.exec(token)?.[1];
  if (quote !== undefined && token.length > 1) {
    return [`${quote}${maskWords(token.slice(1, -1), telling)}${quote}`, false];
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(token)) return [telling ? MASK : (maskUrl(token) ?? MASK), false];
  // A line break or a separator starts another command.
  if (!/[\p{L}\p{N}]/u.test(token)) return [token, telling && token.length > 1];
  const [, name, separator, value] = /^([^=:]+)([=:])([^]*)$/.exec(token) ?? [];
  if (name !== undefined && value !== undefined && isSecretName(name)) {
    if (value === "") return [token, true];
    return [`${name}${separator}${maskIfPlain(value)}`, false];
  }
  if (/^(?:bearer|basic)$/i.test(token)) return [token, true];
  if (/^--[a-z][\w-]*$/i.test(token)) return [token, isSecretName(token)];
  return [telling ? maskIfPlain(token) : maskParts(token), false];
}

function maskIfPlain(value: string): string {
  if (!PLAIN_VALUE.test(value)) return maskParts(value);
  return value.replace(SHOWN_REFERENCE, "") === "" ? value : MASK;
}

function maskParts(word: string): string {
  return word
    .split(/([\\/])/)
    .map((part) => (looksLikeSecretInCode(part.replace(SHOWN_REFERENCE, "")) ? MASK : part))
    .join("");
}
