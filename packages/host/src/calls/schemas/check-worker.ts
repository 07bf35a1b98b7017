/**
 * The code of the worker thread: compiles and applies one schema at a time. Reports the phase of each check, so that
 * `check-thread.ts` can limit its time.
 */
import { parentPort } from "node:worker_threads";
import { compileSchema, UnusableSchema } from "./compile-schema.ts";
import type { Validator } from "./compile-schema.ts";
import { isDeeperThan } from "./data-cost.ts";
import { MAX_DATA_DEPTH } from "./check-limits.ts";
import type { Phase } from "./check-limits.ts";
import type { Problem } from "./check-result.ts";

/** Holds schema and value as JSON text, which can be passed between threads at any depth. */
export interface ThreadJob {
  readonly key: string;
  readonly schema: string;
  readonly value: string;
}

export type ThreadReport =
  | { readonly phase: Phase }
  | { readonly problems: readonly Problem[] | undefined }
  | { readonly unusable: string };

const MAX_VALIDATORS = 100;
const validators = new Map<string, Validator>();
const report = (message: ThreadReport) => parentPort?.postMessage(message, []);
const reportPhase = (phase: Phase) => report({ phase });

parentPort?.on("message", (job: ThreadJob) => {
  reportPhase("compiling");
  try {
    report({ problems: check(job) });
  } catch (thrown) {
    // Any other error, such as a stack overflow, ends the thread.
    if (!(thrown instanceof UnusableSchema)) throw thrown;
    report({ unusable: thrown.message });
  }
});

function check({ key, schema, value }: ThreadJob): readonly Problem[] | undefined {
  const validate = validators.get(key) ?? compileSchema(JSON.parse(schema), reportPhase);
  if (validators.size >= MAX_VALIDATORS) validators.clear();
  validators.set(key, validate);
  const data = JSON.parse(value);
  if (isDeeperThan(MAX_DATA_DEPTH, data)) return [{ path: "", message: `is nested more than ${MAX_DATA_DEPTH} deep` }];
  return validate(data);
}
