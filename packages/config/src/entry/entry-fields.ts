/**
 * The zod schemas of the keys of a server's entry. Loading zod is slow, so other modules import this one dynamically.
 */
import * as z from "zod/mini";
import { ERAS } from "@plugboard/contracts";
import type { EntryValue } from "@plugboard/contracts";
import { ENTRY_DEFAULTS } from "../definition/entry-defaults.ts";
import { envReferencesIn, validateEnvReferences } from "../lib/env-references.ts";
import { validateEntryValue } from "../definition/secret-reference.ts";

/** The longest delay of a Node timer. A longer one would fire at once. */
const MAX_MS = 2 ** 31 - 1;

/** The minimum has room for a short list of tools. The maximum is just below the longest string in Node. */
const MIN_BYTES = 1024;
const MAX_BYTES = 512 * 1024 * 1024 - 1024;

const text = z.string("must be a string").check(
  z.refine((value) => validateEnvReferences(value) === undefined, {
    error: ({ input }) => validateEnvReferences(String(input)),
  }),
);
const nonEmptyText = text.check(z.minLength(1, "must not be empty"));

/** A string or a reference to a secret. */
export const entryValue = z.custom<EntryValue>((input) => validateEntryValue(input) === undefined, {
  error: ({ input }) => validateEntryValue(input),
});
const entryValueRecord = z.record(z.string(), entryValue, "must be an object");

/** Validates a URL. A URL with `${…}`, or one that is a secret, is validated later, when the definition is resolved. */
export function urlValue(validate: (text: string) => string | undefined) {
  const explain = (input: unknown) => {
    const isValidatedLater = typeof input !== "string" || envReferencesIn(input).length > 0;
    return validateEntryValue(input) ?? (isValidatedLater ? undefined : validate(input));
  };
  return z.custom<EntryValue>((input) => explain(input) === undefined, { error: ({ input }) => explain(input) });
}

const DURATION_MESSAGE = "must be a whole number above 0";
const DURATION_OR_ZERO_MESSAGE = "must be a whole number; 0 means never";
const SIZE_MESSAGE = `must be a whole number from ${MIN_BYTES} to ${MAX_BYTES}`;
const duration = z
  .int(DURATION_MESSAGE)
  .check(z.minimum(1, DURATION_MESSAGE), z.maximum(MAX_MS, `must be at most ${MAX_MS}`));
const durationOrZero = z
  .int(DURATION_OR_ZERO_MESSAGE)
  .check(z.minimum(0, DURATION_OR_ZERO_MESSAGE), z.maximum(MAX_MS, `must be at most ${MAX_MS}`));
const size = z.int(SIZE_MESSAGE).check(z.minimum(MIN_BYTES, SIZE_MESSAGE), z.maximum(MAX_BYTES, SIZE_MESSAGE));
const booleanFlag = z.boolean("must be true or false");

const patterns = z.array(
  z.string("must be a string").check(z.minLength(1, "must not be empty")),
  "must be a list of tool names, with * for any part",
);
const toolFilter = z.strictObject(
  { include: z._default(patterns, ["*"]), exclude: z._default(patterns, []) },
  'must be an object with "include" or "exclude"',
);

/** Allows user names and email addresses. */
const account = z
  .string("must be a string")
  .check(z.regex(/^[\p{L}\p{N}._@+-]{1,128}$/u, "must be 1 to 128 letters, digits or . _ @ + -"));

function enumOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, `must be ${words.map((word) => `"${word}"`).join(" or ")}`);
}

const roots = z.union([z.boolean(), z.array(nonEmptyText)], "must be true, false or a list of folders");

export const commonFields = {
  enabled: z._default(booleanFlag, ENTRY_DEFAULTS.enabled),
  startup_timeout_ms: z._default(duration, ENTRY_DEFAULTS.startupTimeoutMs),
  request_timeout_ms: z._default(duration, ENTRY_DEFAULTS.requestTimeoutMs),
  max_timeout_ms: z._default(duration, ENTRY_DEFAULTS.maxTimeoutMs),
  health_interval_ms: z.optional(durationOrZero),
  start: z._default(enumOf(["eager", "lazy"]), ENTRY_DEFAULTS.start),
  idle_stop_ms: z.optional(durationOrZero),
  share: z._default(enumOf(["all", "caller"]), ENTRY_DEFAULTS.share),
  tools: z._default(toolFilter, { include: ["*"], exclude: [] }),
  retry: z.optional(enumOf(["safe", "never"])),
  protocol: z.optional(enumOf([...ERAS, "auto"])),
  trust_annotations: z._default(booleanFlag, ENTRY_DEFAULTS.trustAnnotations),
  sampling: z._default(booleanFlag, ENTRY_DEFAULTS.sampling),
  strict_results: z.optional(booleanFlag),
  roots: z.optional(roots),
  max_message_bytes: z.optional(size),
  result_limit_bytes: z._default(size, ENTRY_DEFAULTS.resultLimitBytes),
};

export const stdioFields = {
  command: nonEmptyText,
  args: z._default(z.array(entryValue, "must be an array"), []),
  cwd: z.optional(text),
  env: z._default(entryValueRecord, {}),
};

export const urlFields = {
  url: text,
  headers: z._default(entryValueRecord, {}),
  account: z.optional(account),
  login: z.optional(enumOf(["shared", "each"])),
};

export const proxyFields = { id: nonEmptyText };

export const sdkFields = { name: z.string("must be a string").check(z.minLength(1, "must not be empty")) };
