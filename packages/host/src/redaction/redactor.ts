/**
 * Takes secrets out of what is said, also where only a part of one was quoted:
 * any eight characters in a row of a secret are covered.
 */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { ErrorDetails, HostErrorCode } from "@plugboard/contracts";
import type { Redactor } from "@plugboard/mcp";

const MASK = "***";
const RUN_LENGTH = 8;
/** Shorter than that it says nothing, and would be found everywhere. */
const MIN_SECRET_LENGTH = 6;
/** Of one secret: nobody quotes so much. */
const MAX_RUNS = 4096;
/** In a longer text only whole secrets are looked for. */
const MAX_RUN_SEARCH_CHARS = 100_000;

/** Nothing where there is nothing to conceal. */
export function createRedactor(secrets: readonly string[]): Redactor | undefined {
  const spelledSecrets = [...new Set(secrets.flatMap(spellingsOf))].filter(
    (secret) => secret.length >= MIN_SECRET_LENGTH,
  );
  if (spelledSecrets.length === 0) return undefined;
  // One may be a part of another.
  spelledSecrets.sort((a, b) => b.length - a.length);
  const runs = new Set(spelledSecrets.flatMap(runsOf));
  const redactText = (said: string) => {
    const whole = spelledSecrets.reduce((left, secret) => left.replaceAll(secret, MASK), said);
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

/** The same error if it says nothing that it should not. */
function redactError(error: HostError, redactText: (said: string) => string): HostError {
  const details = redactData(error.details, redactText) as ErrorDetails[HostErrorCode];
  const cause = redactCause(error.cause, redactText);
  if (details === error.details && cause === error.cause) return error;
  const redacted = new HostError(error.code, details, { cause });
  if (error.stack !== undefined) redacted.stack = redactText(error.stack);
  return redacted;
}

/** What was thrown by others may have anything hung on it: only its words are kept. */
function redactCause(cause: unknown, redactText: (said: string) => string): unknown {
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

/** The same value if nothing in it is concealed. */
function redactData(value: unknown, redactText: (said: string) => string): unknown {
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

/** As it is, in a URL, and in JSON. */
function spellingsOf(secret: string): string[] {
  // What is no text can't be in a URL either.
  const text = Buffer.from(secret).toString();
  return [secret, encodeURIComponent(text), JSON.stringify(secret).slice(1, -1)];
}

function runsOf(secret: string): string[] {
  const runs = Math.min(secret.length - RUN_LENGTH + 1, MAX_RUNS);
  return Array.from({ length: Math.max(0, runs) }, (_, at) => secret.slice(at, at + RUN_LENGTH));
}
