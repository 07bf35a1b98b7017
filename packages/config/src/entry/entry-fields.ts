/**
 * The zod schemas of the keys of a server's entry. Loading zod is slow, so other modules import this one dynamically.
 */
import * as z from "zod/mini";
import { entryRows } from "@plugboard/contracts";
import type { EntryRow, EntryValue, SandboxSetting } from "@plugboard/contracts";
import { envReferencesIn, validateEnvReferences } from "../lib/env-references.ts";
import { explainSandbox } from "../sandbox/sandbox-setting.ts";
import { validateEntryValue } from "../definition/secret-reference.ts";

/** The longest delay of a Node timer. A longer one would fire at once. */
const MAX_MS = 2 ** 31 - 1;

/** The limits of a size in bytes: room for a short list of tools, and just below the longest string in Node. */
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

function enumOf(words: readonly string[]) {
  return z.enum(words, `must be ${words.map((word) => `"${word}"`).join(" or ")}`);
}

const roots = z.union([z.boolean(), z.array(nonEmptyText)], "must be true, false or a list of folders");

const sandbox = z.custom<SandboxSetting | false>((input) => explainSandbox(input) === undefined, {
  error: ({ input }) => explainSandbox(input),
});

/** The schemas of the types in the table of keys. `check-entry.ts` validates `transport` and `auth`. */
const TYPES: { readonly [Type in Exclude<EntryRow["type"], "transport" | "auth" | "word">]: z.ZodMiniType } = {
  boolean: z.boolean("must be true or false"),
  duration,
  duration_or_never: durationOrZero,
  size,
  text,
  filled_text: nonEmptyText,
  name: z.string("must be a string").check(z.minLength(1, "must not be empty")),
  account,
  values: z.array(entryValue, "must be an array"),
  value_map: z.record(z.string(), entryValue, "must be an object"),
  tool_filter: toolFilter,
  roots,
  sandbox,
};

/** The fields of the keys that have the same target. */
export interface EntryFields {
  readonly [key: string]: z.ZodMiniType;
}

/**
 * Returns the fields of the keys for a target. Without a target, returns those of the keys that every server can have.
 */
export function fieldsFor(target?: EntryRow["for"]): EntryFields {
  const fields = entryRows().flatMap(([key, row]) => {
    const field = row.for === target ? fieldFor(row) : undefined;
    return field ? [[key, field] as const] : [];
  });
  return Object.fromEntries(fields);
}

/** Returns undefined for `transport` and `auth`. */
export function fieldFor(row: EntryRow): z.ZodMiniType | undefined {
  const { type, words = [], required } = row;
  if (type === "transport" || type === "auth") return undefined;
  const field = type === "word" ? enumOf(words) : TYPES[type];
  if (required) return field;
  return row.default === undefined ? z.optional(field) : z._default(field, row.default);
}
