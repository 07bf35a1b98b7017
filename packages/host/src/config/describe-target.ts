/**
 * What a definition runs or calls, in a line for people. As written, so no
 * variable is expanded. Only what looks like no secret is shown; the rest is
 * masked, so a secret needs no telling name to stay hidden.
 */
import type { ServerDefinition } from "./definition.ts";
import { MASK, SHOWN_REFERENCE, maskDefaults, showReferences, showWord } from "./mask-references.ts";
import { maskUrl } from "./mask-url.ts";

export function describeTarget(definition: ServerDefinition): string {
  if (definition.transport !== "stdio") return withDefaultsMasked(definition.url, (url) => maskUrl(url) ?? MASK);
  const { command, args } = definition;
  const words = args.map((arg, at) => describeArgument(arg, args[at - 1]));
  return [describeCommand(command), ...words].map(quoted).join(" ");
}

/** Options whose value is masked whatever it looks like. */
const TELLING =
  /key|token|secret|pass|pwd|auth|cred|bearer|header|cookie|session|jwt|otp|sign|dsn|licen|salt|seed|mnemonic|private/i;
const TELLING_WORD = /(^|[-_])(pat|pin|pw)([-_]|$)/i;
const TELLING_LETTER = /^-[aHkKpPstTuUwW]$/;

function describeCommand(command: string): string {
  return withDefaultsMasked(command, (text) => (/[=\s]|:\/\//.test(text) ? showValue(text) : text));
}

function describeArgument(arg: string, before: string | undefined): string {
  return withDefaultsMasked(arg, (text) => {
    const secret = before?.startsWith("-") && !before.includes("=") && tells(before);
    if (secret && !/^-[a-z]$|^--[a-z-]+$/i.test(text)) return showReferences(text);
    return text.startsWith("-") ? showOption(text) : showValue(text);
  });
}

function withDefaultsMasked(text: string, show: (text: string) => string): string {
  const masked = maskDefaults(text);
  return masked === undefined ? MASK : show(masked);
}

function tells(option: string): boolean {
  return TELLING.test(option) || TELLING_WORD.test(option) || TELLING_LETTER.test(option);
}

/** `--name`, `--name=value`, `-n`; of `-nvalue` only the letter. */
function showOption(text: string): string {
  const equals = text.indexOf("=");
  const name = equals < 0 ? text : text.slice(0, equals);
  if (!name.startsWith("--")) {
    if (name.length > 4) return `${name.slice(0, 2)}${MASK}`;
  } else if (showWord(name) === MASK) {
    return MASK;
  }
  if (equals < 0) return text;
  const value = text.slice(equals + 1);
  return `${name}=${tells(name) ? showReferences(value) : showValue(value)}`;
}

function showValue(text: string): string {
  if (text.includes("://") || /^\s*(https?|wss?|ftp):/i.test(text)) return maskUrl(text) ?? MASK;
  const [, name, value] = /^([\w.-]+)=([^=].*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return `${showWord(name)}=${showReferences(value)}`;
  // Data, in which the words between the quotes may be anything.
  if (/[{}[\]]/.test(text.replace(SHOWN_REFERENCE, ""))) return MASK;
  if (/\s/.test(text) && (TELLING.test(text) || /\s-/.test(text))) return MASK;
  return text
    .split(/([\\/])/)
    .map(showPart)
    .join("");
}

/** A part of a path, what separates two, or a drive; or a text that is no path. */
function showPart(part: string): string {
  if (part === "\\" || part === "/" || /^[a-z]:$/i.test(part)) return part;
  return showWord(part.replace(/["']/g, "")) === MASK ? MASK : part;
}

function quoted(word: string): string {
  return /^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word);
}
