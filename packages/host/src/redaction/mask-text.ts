/**
 * Masks secrets in the texts of a definition. Shows commands in full. Masks the values of variables, headers and
 * logins, values that follow a secret's name, defaults, and words that look like a secret.
 */
import type { EntryValue, SecretReference } from "@plugboard/contracts";
import { looksLikePlainWord } from "../lib/looks-like-plain-word.ts";
import { looksLikePath } from "./looks-like-path.ts";
import { looksLikeSecret } from "./looks-like-secret.ts";
import { hasMultipleWords, maskScript } from "./mask-script.ts";
import { maskJson } from "./mask-json.ts";
import { MASK, ENV_REFERENCE, maskDefaults, maskUnlessReference } from "./mask-references.ts";
import { maskUrl } from "./mask-url.ts";
import { splitDigest } from "./split-digest.ts";
import { isSecretName } from "./is-secret-name.ts";

/** Options whose argument runs: `sh -c`, `bash -lc`, `node -e`, `python -m`, `cmd /c`, `powershell -Command`. */
const CODE_OPTION = /^(?:-[a-z]*c|-e|-m|--?(?:eval|exec|command|print)|\/c)$/i;
const ENV_NAME = /^[A-Z][A-Z0-9_]*$/;

export function maskCommand(command: string): string {
  return maskScript(command);
}

/** Shows references to secrets, because they contain no secret. */
export function maskArguments(args: readonly EntryValue[]): EntryValue[] {
  return args.map((arg, at) => (typeof arg === "string" ? maskArgument(arg, args[at - 1]) : maskReference(arg)));
}

/** Masks a value that may be a secret. Shows only a reference. */
export function maskValue(value: EntryValue): EntryValue {
  return typeof value === "string" ? maskWithDefaults(value, maskUnlessReference) : maskReference(value);
}

export function maskUrlWithDefaults(url: string): string {
  return maskWithDefaults(url, (text) => maskUrl(text) ?? MASK);
}

/** Shows the name of a file, a header or a scope unless it looks like a secret. */
export function maskName(text: string): string {
  return maskWithDefaults(text, maskPlainValue);
}

function maskReference(reference: SecretReference): SecretReference {
  if ("$secret" in reference) return reference;
  if ("$file" in reference) return { $file: maskName(reference.$file) };
  const [program, ...args] = reference.$cmd;
  return { $cmd: [maskCommand(program!), ...args.map((arg, at) => maskArgument(arg, args[at - 1]))] };
}

function maskArgument(arg: string, previous: EntryValue | undefined): string {
  const option = typeof previous === "string" && previous.startsWith("-") && !previous.includes("=") ? previous : "";
  if (isCode(arg, previous)) return maskScript(arg);
  return maskWithDefaults(arg, (text) => {
    if (isSecretName(option) && !/^-[a-z]$|^--[a-z-]+$/i.test(text) && isValueOf(option, text))
      return maskUnlessReference(text);
    return text.startsWith("-") ? maskOption(text) : maskPlainValue(text);
  });
}

/** Returns false for a variable after `-e`, as in `docker run -e NAME=value`. */
function isCode(arg: string, previous: EntryValue | undefined): boolean {
  return typeof previous === "string" && CODE_OPTION.test(previous) && (hasMultipleWords(arg) || !/^\w+=/.test(arg));
}

/** Returns false for a path, and for code or a URL after a one-letter option, which may mean anything. */
function isValueOf(option: string, text: string): boolean {
  if (looksLikePath(text)) return false;
  return option.startsWith("--") || !(hasMultipleWords(text) || isWebUrl(text));
}

/** Shows a default of several words, because it may be a command. */
function maskWithDefaults(text: string, maskRest: (text: string) => string): string {
  const masked = maskDefaults(text, (fallback) => (hasMultipleWords(fallback) ? maskScript(fallback) : MASK));
  return masked === undefined ? MASK : maskRest(masked);
}

/** Handles `--name`, `--name=value` and `-n`. Shows only the letter of `-nvalue` if the letter is a secret's name. */
function maskOption(text: string): string {
  const [, name, value] = /^(--?[\w.-]+)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined && !looksLikeSecret(name)) {
    return `${name}=${isSecretName(name) && !looksLikePath(value) ? maskUnlessReference(value) : maskPlainValue(value)}`;
  }
  const letter = text.slice(0, 2);
  if (isSecretName(letter) && !/^-[a-z]+$/i.test(text)) return `${letter}${MASK}`;
  return maskPlainValue(text);
}

function maskPlainValue(text: string): string {
  const json = maskJson(text);
  if (json !== undefined) return json;
  if (isWebUrl(text)) {
    return hasMultipleWords(text) ? maskScript(text) : (maskUrl(text) ?? MASK);
  }
  if (hasMultipleWords(text)) return maskScript(text);
  const [, name, equals, value] = /^([\w.-]+)(==?)(.+)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined && !(equals === "==" && /^\d/.test(value))) {
    if (looksLikeSecret(name)) return MASK;
    const isSecret = isSecretName(name) || ENV_NAME.test(name) || equals === "==";
    return `${name}${equals}${isSecret && !looksLikePath(value) ? maskUnlessReference(value) : maskPlainValue(value)}`;
  }
  return text
    .split(/([\\/])/)
    .map(maskSegment)
    .join("");
}

function isWebUrl(text: string): boolean {
  return text.includes("://") || /^\s*(https?|wss?|ftp):/i.test(text);
}

/** Masks a part of a path if it looks like a secret, and a text after a colon unless it is an image tag. */
function maskSegment(text: string): string {
  const [part, digest] = splitDigest(text);
  return maskSegmentName(part) + digest;
}

function maskSegmentName(part: string): string {
  const bare = part.replace(ENV_REFERENCE, "ref");
  if (looksLikeSecret(bare)) return MASK;
  const colon = part.indexOf(":");
  return colon < 0 || colon === part.length - 1 || looksLikePlainWord(bare) ? part : `${part.slice(0, colon)}:${MASK}`;
}
