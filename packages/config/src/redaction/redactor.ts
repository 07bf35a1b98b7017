/** Masks given secrets in texts and errors. Also masks pieces of a secret that have at least eight characters. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { ErrorDetails, HostErrorCode, Redactor } from "@plugboard/contracts";
import { MASK } from "./mask-references.ts";

/** The length of the shortest piece of a secret that is masked. */
const PIECE_LENGTH = 8;
/** Shorter secrets are not masked, because they would match common words. */
const MIN_SECRET_LENGTH = 6;
/** How many pieces of one secret are looked for, at most. */
const MAX_PIECES = 4096;
/** In a longer text, only whole secrets are masked. */
const MAX_PIECE_SEARCH_CHARS = 100_000;

/** Returns undefined if there are no secrets to mask. */
export function createRedactor(secrets: readonly string[]): Redactor | undefined {
  const spelledSecrets = [...new Set(secrets.flatMap(spellingsOf))].filter(
    (secret) => secret.length >= MIN_SECRET_LENGTH,
  );
  if (spelledSecrets.length === 0) return undefined;
  // The longest come first, because one secret may be a part of another.
  spelledSecrets.sort((a, b) => b.length - a.length);
  const pieces = new Set(spelledSecrets.flatMap(piecesOf));
  const redactText = (text: string) => {
    const withoutWholeSecrets = spelledSecrets.reduce((masked, secret) => masked.replaceAll(secret, MASK), text);
    return withoutWholeSecrets.length > MAX_PIECE_SEARCH_CHARS
      ? withoutWholeSecrets
      : maskPieces(withoutWholeSecrets, pieces);
  };
  return { text: redactText, error: (error) => redactError(error, redactText) };
}

/** Replaces each stretch of text that consists of overlapping pieces with one mask. */
function maskPieces(text: string, pieces: ReadonlySet<string>): string {
  let shown = "";
  let shownUntil = 0;
  for (let start = 0; start + PIECE_LENGTH <= text.length; start++) {
    if (!pieces.has(text.slice(start, start + PIECE_LENGTH))) continue;
    let end = start + PIECE_LENGTH;
    while (end < text.length && pieces.has(text.slice(end + 1 - PIECE_LENGTH, end + 1))) end += 1;
    shown += text.slice(shownUntil, start) + MASK;
    shownUntil = end;
    start = end - 1;
  }
  return shownUntil === 0 ? text : shown + text.slice(shownUntil);
}

/** Returns the same error if it contains no secret. */
function redactError(error: HostError, redactText: (text: string) => string): HostError {
  const details = redactData(error.details, redactText) as ErrorDetails[HostErrorCode];
  const cause = redactCause(error.cause, redactText);
  if (details === error.details && cause === error.cause) return error;
  const redacted = new HostError(error.code, details, { cause });
  if (error.stack !== undefined) redacted.stack = redactText(error.stack);
  return redacted;
}

/**
 * Copies only the message, name, stack and code of an error from elsewhere, whose other properties may hold secrets.
 */
function redactCause(cause: unknown, redactText: (text: string) => string): unknown {
  if (cause instanceof HostError) return redactError(cause, redactText);
  if (!(cause instanceof Error)) return redactData(cause, redactText);
  const { message, name, stack = "" } = cause;
  const redacted: NodeJS.ErrnoException = new Error(redactText(message));
  const { code } = cause as NodeJS.ErrnoException;
  redacted.name = name;
  redacted.stack = redactText(stack);
  if (typeof code === "string") redacted.code = code;
  return redacted;
}

/** Returns the same value if it contains no secret. */
function redactData(value: unknown, redactText: (text: string) => string): unknown {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => redactData(item, redactText));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(
    ([name, item]) => [redactText(name), redactData(item, redactText)] as const,
  );
  const isUnchanged = entries.every(([name, item]) => Object.hasOwn(value, name) && value[name] === item);
  return isUnchanged ? value : Object.fromEntries(entries);
}

/** Returns the secret as it is, URL-encoded, and escaped for JSON. */
function spellingsOf(secret: string): string[] {
  // Replaces lone surrogates, which `encodeURIComponent` rejects.
  const text = Buffer.from(secret).toString();
  return [secret, encodeURIComponent(text), JSON.stringify(secret).slice(1, -1)];
}

/** Returns all substrings of the secret with the length of a piece. */
function piecesOf(secret: string): string[] {
  const count = Math.min(secret.length - PIECE_LENGTH + 1, MAX_PIECES);
  return Array.from({ length: Math.max(0, count) }, (_, start) => secret.slice(start, start + PIECE_LENGTH));
}
