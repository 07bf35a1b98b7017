/**
 * The limits of a schema check in size and time. Schemas come from untrusted servers. A check that may take long runs
 * in a worker thread ("a thread" below). All other checks run in the main thread.
 */

/** A schema beyond these limits is not applied. `data-cost.ts` defines the cost. */
export const MAX_SCHEMA_COST = 20_000;
export const MAX_SCHEMA_DEPTH = 500;

/**
 * A larger or deeper schema is compiled and applied in a thread. Ajv also reads parts that are never applied, and its
 * time grows faster than the depth.
 */
export const MAX_MAIN_THREAD_SCHEMA_COST = 5_000;
export const MAIN_THREAD_SCHEMA_LIMITS = { budget: MAX_MAIN_THREAD_SCHEMA_COST, depth: 50, readsText: true } as const;

/** A schema of more weight is applied in a thread, see `assess-risk.ts`. Ajv compiles this weight in about 30 ms. */
export const MAX_MAIN_THREAD_WEIGHT = 500;

/**
 * Ajv writes schema paths into the code that it compiles. A schema with more
 * characters of paths is applied in a thread.
 */
export const MAX_MAIN_THREAD_PATH_CHARS = 200_000;

/** Limits a check in the main thread: the weight of the schema times the cost of the data. Takes about 10 ms. */
export const MAX_MAIN_THREAD_WORK = 1_000_000;

/** Deeper data is never checked in the main thread, so that measuring it needs little stack. */
export const MAX_MAIN_THREAD_DATA_DEPTH = 100;

/** Larger data is not checked. Deeper data is rejected, because few programs can read it. */
export const MAX_DATA_CHARS = 10 * 1024 * 1024;
export const MAX_DATA_DEPTH = 1_000;

/** The number of compiled schemas in the cache. */
export const MAX_CACHED_SCHEMAS = 1_000;

/** Limits the reported problems, and the length of names and patterns in them. */
export const MAX_PROBLEMS = 10;
export const MAX_WORD_CHARS = 60;

/** Limits the errors of Ajv that are turned into problems, and the searches for a similar name. */
export const MAX_DESCRIBED_ERRORS = 100;
export const MAX_SUGGESTIONS = 3;

/**
 * All errors are collected if the cost of the schema times the cost of the value is at most this, and the value is
 * small. Otherwise only the first error is reported, because Ajv can't limit the number of errors.
 */
export const MAX_ALL_ERRORS_WORK = 50_000;
export const ALL_ERRORS_DATA_LIMITS = { budget: 200, depth: 100, readsText: false } as const;

/** The time limit for each phase of a check in the thread. Starting depends on the machine, not on the schema. */
export const PHASE_TIMEOUT_MS = { starting: 20_000, compiling: 1_000, checking: 250 } as const;
export type Phase = keyof typeof PHASE_TIMEOUT_MS;

export const WORKER_RESOURCE_LIMITS = {
  maxOldGenerationSizeMb: 192,
  maxYoungGenerationSizeMb: 32,
  stackSizeMb: 4,
} as const;

/** Limits the data that waits for the thread. */
export const MAX_QUEUED_CHARS = 4 * MAX_DATA_CHARS;
export const MAX_QUEUED_CHECKS = 1_000;
