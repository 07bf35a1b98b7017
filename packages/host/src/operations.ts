/**
 * Exports of the operations: what a person does to the host. Used by the
 * daemon, and by commands without a running host.
 */
export { LocalOperations } from "./operations/local-operations.ts";
export { planPurge } from "./operations/purge/plan-purge.ts";
export type { PurgePlan } from "./operations/purge/plan-purge.ts";
export type { PurgeStep } from "./operations/purge/purge-step.ts";
export { runSteps } from "./operations/purge/run-steps.ts";
export type { StepResult } from "./operations/purge/run-steps.ts";
export type { LocalOperationsOptions } from "./operations/local-operations.ts";
