/** Masks given secrets in texts and errors. Masks a part of a secret too, if it has at least eight characters. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { ErrorDetails, HostErrorCode } from "@plugboard/contracts";
import type { Redactor } from "@plugboard/mcp";
import { MASK } from "./mask-references.ts";

/** The length of the parts of a secret that are masked. */
const RUN_LENGTH = 8;
/** Shorter secrets are not masked, because they would match common words. */
const MIN_SECRET_LENGTH = 6;
/** How many parts of one secret are looked for. */
const MAX_RUNS = 4096;
/** In a longer text, only whole secrets are masked. */
const MAX_RUN_SEARCH_CHARS = 100_000;

/** Returns undefined if there are no secrets to mask. */
export function createRedactor(secrets: readonly string[]): Redactor | undefined {
  const spelledSecrets = [...new Set(secrets.flatMap(spellingsOf))].filter(
    (secret) => secret.length >= MIN_SECRET_LENGTH,
  );
  if (spelledSecrets.length === 0) return undefined;
  // The longest come first, because one secret may be a part of another.
  spelledSecrets.sort((a, b) => b.length - a.length);
  const runs = new Set(spelledSecrets.flatMap(runsOf));
  const redactText = (text: string) => {
    const whole = spelledSecrets.reduce((left, secret) => left.replaceAll(secret, MASK), text);
    return whole.length > MAX_RUN_SEARCH_CHARS ? whole : maskRuns(whole, runs);
  };
  return { text: redactText, error: (error) => redactError(error, redactText) };
}

function maskRuns(text: string, runs: ReadonlySet<string>): string {
  let shown = "";
  let from = 0;
  for (let at = 0; at + RUN_LENGTH <= text.length; at++) {
    if (!runs.has(text.slice(at, at + RUN_LENGTH))) continue;
    let end = at + RUN_LENGTH;
    while (end < text.length && runs.has(text.slice(end + 1 - RUN_LENGTH, end + 1))) end += 1;
    shown += text.slice(from, at) + MASK;
    from = end;
    at = end - 1;
  }
  return from === 0 ? text : shown + text.slice(from);
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

/** Copies only the message, name, stack and code of a foreign error, because its other properties may hold secrets. */
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
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, one]) => [redactText(name), redactData(one, redactText)] as const);
  const same = entries.every(([name, one]) => Object.hasOwn(value, name) && value[name] === one);
  return same ? value : Object.fromEntries(entries);
}

/** Returns the secret as it is, URL-encoded, and escaped for JSON. */
function spellingsOf(secret: string): string[] {
  // Replaces lone surrogates, which `encodeURIComponent` rejects.
  const text = Buffer.from(secret).toString();
  return [secret, encodeURIComponent(text), JSON.stringify(secret).slice(1, -1)];
}

function runsOf(secret: string): string[] {
  const runs = Math.min(secret.length - RUN_LENGTH + 1, MAX_RUNS);
  return Array.from({ length: Math.max(0, runs) }, (_, at) => secret.slice(at, at + RUN_LENGTH));
}
