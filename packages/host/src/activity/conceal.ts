/**
 * Takes secrets out of what is said, also where only a part of one was quoted:
 * any eight characters in a row of a secret are covered.
 */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { ErrorDetails, HostErrorCode } from "@plugboard/contracts";
import type { Concealer } from "@plugboard/mcp";

const MASK = "***";
const RUN = 8;
/** Shorter than that it says nothing, and would be found everywhere. */
const SHORTEST = 6;
/** Of one secret: nobody quotes so much. */
const MAX_RUNS = 4096;
/** In a longer text only whole secrets are looked for. */
const LONG = 100_000;

/** Nothing where there is nothing to conceal. */
export function concealing(secrets: readonly string[]): Concealer | undefined {
  const all = [...new Set(secrets.flatMap(spellings))].filter((secret) => secret.length >= SHORTEST);
  if (all.length === 0) return undefined;
  // One may be a part of another.
  all.sort((a, b) => b.length - a.length);
  const runs = new Set(all.flatMap(runsOf));
  const text = (said: string) => {
    const whole = all.reduce((left, secret) => left.replaceAll(secret, MASK), said);
    return whole.length > LONG ? whole : coverRuns(whole, runs);
  };
  return { text, error: (error) => concealError(error, text) };
}

function coverRuns(said: string, runs: ReadonlySet<string>): string {
  let shown = "";
  let from = 0;
  for (let at = 0; at + RUN <= said.length; at++) {
    if (!runs.has(said.slice(at, at + RUN))) continue;
    let end = at + RUN;
    while (end < said.length && runs.has(said.slice(end + 1 - RUN, end + 1))) end += 1;
    shown += said.slice(from, at) + MASK;
    from = end;
    at = end - 1;
  }
  return from === 0 ? said : shown + said.slice(from);
}

/** The same error if it says nothing that it should not. */
function concealError(error: HostError, text: (said: string) => string): HostError {
  const details = concealData(error.details, text) as ErrorDetails[HostErrorCode];
  const cause = concealCause(error.cause, text);
  if (details === error.details && cause === error.cause) return error;
  const told = new HostError(error.code, details, { cause });
  if (error.stack !== undefined) told.stack = text(error.stack);
  return told;
}

/** What was thrown by others may have anything hung on it: only its words are kept. */
function concealCause(cause: unknown, text: (said: string) => string): unknown {
  if (cause instanceof HostError) return concealError(cause, text);
  if (!(cause instanceof Error)) return concealData(cause, text);
  const { message, name, stack = "" } = cause;
  const told: NodeJS.ErrnoException = new Error(text(message));
  const { code } = cause as NodeJS.ErrnoException;
  told.name = name;
  told.stack = text(stack);
  if (typeof code === "string") told.code = code;
  return told;
}

/** The same value if nothing in it is concealed. */
function concealData(value: unknown, text: (said: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => concealData(item, text));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([name, one]) => [text(name), concealData(one, text)] as const);
  const same = entries.every(([name, one]) => Object.hasOwn(value, name) && value[name] === one);
  return same ? value : Object.fromEntries(entries);
}

/** As it is, in a URL, and in JSON. */
function spellings(secret: string): string[] {
  // What is no text can't be in a URL either.
  const text = Buffer.from(secret).toString();
  return [secret, encodeURIComponent(text), JSON.stringify(secret).slice(1, -1)];
}

function runsOf(secret: string): string[] {
  const runs = Math.min(secret.length - RUN + 1, MAX_RUNS);
  return Array.from({ length: Math.max(0, runs) }, (_, at) => secret.slice(at, at + RUN));
}
