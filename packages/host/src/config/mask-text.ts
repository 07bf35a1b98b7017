/**
 * The texts of a definition for people, as written, with what may be a secret
 * masked. Only what looks like no secret is shown.
 */
import type { EntryValue, SecretReference } from "@plugboard/contracts";
import { MASK, SHOWN_REFERENCE, maskDefaults, showReferences, showWord } from "./mask-references.ts";
import { maskUrl } from "./mask-url.ts";

/** Options whose value is masked whatever it looks like. */
const TELLING =
  /key|token|secret|pass|pwd|auth|cred|bearer|header|cookie|session|jwt|otp|sign|dsn|licen|salt|seed|mnemonic|private/i;
const TELLING_WORD = /(^|[-_])(pat|pin|pw)([-_]|$)/i;
const TELLING_LETTER = /^-[aHkKpPstTuUwW]$/;

export function maskCommand(command: string): string {
  return withDefaultsMasked(command, (text) => (/[=\s]|:\/\//.test(text) ? showValue(text) : text));
}

/** What refers to a secret holds none. */
export function maskArguments(args: readonly EntryValue[]): EntryValue[] {
  return args.map((arg, at) => (typeof arg === "string" ? maskArgument(arg, args[at - 1]) : maskReference(arg)));
}

/** What may well be a secret: only where it comes from is shown. */
export function maskValue(value: EntryValue): EntryValue {
  return typeof value === "string" ? withDefaultsMasked(value, showReferences) : maskReference(value);
}

export function maskAddress(url: string): string {
  return withDefaultsMasked(url, (text) => maskUrl(text) ?? MASK);
}

/** A name of a file, a header, a scope: shown if it looks like one. */
export function maskName(text: string): string {
  return withDefaultsMasked(text, showValue);
}

function maskReference(reference: SecretReference): SecretReference {
  if ("$secret" in reference) return reference;
  if ("$file" in reference) return { $file: maskName(reference.$file) };
  const [program, ...args] = reference.$cmd;
  return { $cmd: [maskCommand(program!), ...args.map((arg, at) => maskArgument(arg, args[at - 1]))] };
}

function maskArgument(arg: string, before: EntryValue | undefined): string {
  return withDefaultsMasked(arg, (text) => {
    const option = typeof before === "string" && before.startsWith("-") && !before.includes("=");
    const secret = option && tells(before);
    if (secret && !/^-[a-z]$|^--[a-z-]+$/i.test(text)) return showReferences(text);
    return text.startsWith("-") ? showOption(text) : showValue(text);
  });
}

function withDefaultsMasked(text: string, show: (text: string) => string): string {
  const masked = maskDefaults(text);
  return masked === undefined ? MASK : show(masked);
}

export function tells(option: string): boolean {
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
