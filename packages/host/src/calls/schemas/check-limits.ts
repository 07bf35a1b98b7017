/** How much of a schema, of the data and of time a check may use. Schemas are the word of an untrusted party. */

/** A schema beyond these is not applied. A string counts by its length, too: see `data-cost.ts`. */
export const MAX_SCHEMA_COST = 20_000;
export const MAX_SCHEMA_DEPTH = 500;

/**
 * A larger or deeper one is compiled and applied in a thread. Ajv reads also the
 * parts that are never applied, and its time grows faster than the depth.
 */
export const MAX_INLINE_COST = 5_000;
export const INLINE_SCHEMA_LIMITS = { budget: MAX_INLINE_COST, depth: 50, readsText: true } as const;

/** So is one of more weight, which see in `risk.ts`: Ajv takes about 30 ms for one of this weight. */
export const MAX_INLINE_WEIGHT = 500;

/** So is one for which Ajv would write more than this of schema paths into the code. */
export const MAX_INLINE_PATH_CHARS = 200_000;

/** What is checked at once costs at most this: the weight of the schema times the cost of the data, some 10 ms. */
export const MAX_INLINE_WORK = 1_000_000;

/** Data that is deeper is never checked at once, so the walk that weighs it needs little stack. */
export const MAX_INLINE_DEPTH = 100;

/** Data beyond these is not checked. What is deeper than this no tool takes and few programs can read. */
export const MAX_DATA_CHARS = 10 * 1024 * 1024;
export const MAX_DATA_DEPTH = 1_000;

/** How many schemas are kept compiled. */
export const MAX_CACHED_SCHEMAS = 1_000;

/** How many problems are told at once, and how long a word of the schema or the data in them may be. */
export const MAX_PROBLEMS = 10;
export const MAX_WORD_CHARS = 60;

/** How many errors are described to find problems that differ, and for how many unknown names a near one is sought. */
export const MAX_DESCRIBED_ERRORS = 100;
export const MAX_SUGGESTIONS = 3;

/**
 * All errors are collected if the cost of the schema times the cost of the value
 * is at most this, and the value is small. Otherwise only the first: Ajv has no
 * limit for the number of errors.
 */
export const MAX_ALL_ERRORS_WORK = 50_000;
export const ALL_ERRORS_DATA_LIMITS = { budget: 200, depth: 100, readsText: false } as const;

/** What the thread may take for each phase of a check. Starting depends on the machine, not on the schema. */
export const PHASE_TIMEOUT_MS = { starting: 20_000, compiling: 1_000, checking: 250 } as const;
export type Phase = keyof typeof PHASE_TIMEOUT_MS;

export const WORKER_RESOURCE_LIMITS = {
  maxOldGenerationSizeMb: 192,
  maxYoungGenerationSizeMb: 32,
  stackSizeMb: 4,
} as const;

/** How much data may wait for the thread. */
export const MAX_QUEUED_CHARS = 4 * MAX_DATA_CHARS;
export const MAX_QUEUED_CHECKS = 1_000;
