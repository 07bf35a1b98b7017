/**
 * Masks secrets in the texts of a definition. Masks the values of variables and headers, values after a name such as
 * `--token`, default values of references, and words that look like a secret. Shows all other parts of a command.
 */
import type { EntryValue, SecretReference } from "@plugboard/contracts";
import { looksLikePlainWord } from "../lib/looks-like-plain-word.ts";
import { isHarmlessForLetter, isHarmlessWord, isShownUrl } from "./looks-harmless.ts";
import { looksLikePath } from "./looks-like-path.ts";
import { looksLikeSecret } from "./looks-like-secret.ts";
import { hasMultipleWords, maskScript } from "./mask-script.ts";
import { ENV_REFERENCE, MASK, maskDefaults, maskUnlessReference } from "./mask-references.ts";
import { maskUrl } from "./mask-url.ts";
import { splitDigest } from "./split-digest.ts";
import { isSecretName } from "./is-secret-name.ts";

/** Options whose argument runs: `sh -c`, `bash -lc`, `node -e`, `python -m`, `cmd /c`, `powershell -Command`. */
const CODE_OPTION = /^(?:-[a-z]*c|-e|-m|--?(?:eval|exec|command|print)|\/c)$/i;
const ENV_NAME = /^[A-Z][A-Z0-9_]*$/;

export function maskCommand(command: string): string {
  return maskScript(command);
}

/** Masks each argument. An argument that is a reference to a secret is shown, because it contains no secret. */
export function maskArguments(args: readonly EntryValue[]): EntryValue[] {
  return args.map((arg, index) => (typeof arg === "string" ? maskArgument(arg, args[index - 1]) : maskReference(arg)));
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
  return { $cmd: [maskCommand(program!), ...args.map((arg, index) => maskArgument(arg, args[index - 1]))] };
}

function maskArgument(arg: string, previous: EntryValue | undefined): string {
  if (isCode(arg, previous)) return maskScript(arg);
  const followsOption = typeof previous === "string" && previous.startsWith("-") && !previous.includes("=");
  const option = followsOption ? previous : "";
  return maskWithDefaults(arg, (text) => {
    if (isSecretName(option) && isValueOf(option, text)) return maskUnlessReference(text);
    return text.startsWith("-") ? maskOption(text) : maskPlainValue(text);
  });
}

/**
 * Returns true for an argument that the program runs. Returns false for a variable, as in `docker run -e NAME=value`.
 */
function isCode(arg: string, previous: EntryValue | undefined): boolean {
  return typeof previous === "string" && CODE_OPTION.test(previous) && (hasMultipleWords(arg) || !/^\w+=/.test(arg));
}

/**
 * Returns true if the text may be the secret of the option before it. Returns false for another option, a path and a
 * URL. Also returns false for code, a script or a port after a one-letter option, which may not take a secret at all.
 */
function isValueOf(option: string, text: string): boolean {
  const isOption = /^-[a-z]$|^--[a-z-]+$/i.test(text);
  if (isOption || isNoSecret(text)) return false;
  return option.startsWith("--") || !(hasMultipleWords(text) || isWebUrl(text) || isHarmlessForLetter(text));
}

function isNoSecret(text: string): boolean {
  return looksLikePath(text) || isShownUrl(text) || isHarmlessWord(text);
}

/**
 * Masks the default values of references, and the rest with `maskRest`. A default of several words may be a command.
 */
function maskWithDefaults(text: string, maskRest: (text: string) => string): string {
  const masked = maskDefaults(text, (fallback) => (hasMultipleWords(fallback) ? maskScript(fallback) : MASK));
  return masked === undefined ? MASK : maskRest(masked);
}

/**
 * Masks secrets in `--name=value`, and the value of `-pvalue` if `-p` often takes a secret. Keeps `--name` and `-n`.
 */
function maskOption(text: string): string {
  const [, name, value] = /^(--?[\w.-]+)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined && !looksLikeSecret(name)) {
    return `${name}=${isSecretName(name) && !isNoSecret(value) ? maskUnlessReference(value) : maskPlainValue(value)}`;
  }
  const [letter, joined] = [text.slice(0, 2), text.slice(2)];
  if (isSecretName(letter) && !/^-[a-z]+$/i.test(text) && !isHarmlessForLetter(joined)) return `${letter}${MASK}`;
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
  // The version of a Python package, as in `name==1.2`, is not a value.
  const isVersion = equals === "==" && value !== undefined && /^\d/.test(value);
  if (name !== undefined && value !== undefined && !isVersion) {
    if (looksLikeSecret(name)) return MASK;
    const isSecret = isSecretName(name) || ENV_NAME.test(name) || equals === "==";
    return `${name}${equals}${isSecret && !looksLikePath(value) ? maskUnlessReference(value) : maskPlainValue(value)}`;
  }
  return text
    .split(/([\\/])/)
    .map(maskSegment)
    .join("");
}

/** Also returns true for an incomplete URL, such as `https:example.com`. */
function isWebUrl(text: string): boolean {
  return text.includes("://") || /^\s*(https?|wss?|ftp):/i.test(text);
}

/** The beginning of a package from a registry, such as `npm:name`. */
const PACKAGE_PREFIX = /^(?:npm|jsr|node|bun):/;
/** Ports and addresses, such as `127.0.0.1:8080:80`. */
const NUMBERED = /^\d{1,5}(?:[.:]\d{1,5}){1,6}$/;

/** Masks a part of a path if it looks like a secret. Also masks the text after a colon, unless it is an image tag. */
function maskSegment(text: string): string {
  const [part, digest] = splitDigest(text);
  return maskSegmentName(part) + digest;
}

function maskSegmentName(part: string): string {
  const withoutReferences = part.replace(ENV_REFERENCE, "ref");
  if (NUMBERED.test(part)) return part;
  if (looksLikeSecret(withoutReferences)) return MASK;
  const colon = part.indexOf(":");
  const hasTextAfterColon = colon >= 0 && colon < part.length - 1;
  if (!hasTextAfterColon || PACKAGE_PREFIX.test(part)) return part;
  if (looksLikePlainWord(withoutReferences)) return part;
  return `${part.slice(0, colon)}:${MASK}`;
}

/** Masks the values and keeps the keys. Returns undefined for a text that is not a JSON object, array or string. */
function maskJson(text: string): string | undefined {
  if (!/^\s*[[{"]/.test(text)) return undefined;
  try {
    return JSON.stringify(maskValues(JSON.parse(text)));
  } catch {
    return undefined;
  }
}

/** Masks strings and numbers. Shows `true`, `false` and `null`. */
function maskValues(value: unknown): unknown {
  if (typeof value === "string") return maskJson(value) ?? maskUnlessReference(value);
  if (typeof value === "number") return MASK;
  if (Array.isArray(value)) return value.map(maskValues);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskValues(item)]));
}
