/** Runs the steps of a purge, one after another. After a failed step, only the steps that need it are skipped. */
import { toHostError } from "@plugboard/contracts";
import type { HostError } from "@plugboard/contracts";
import type { PurgeKind, PurgeStep } from "./purge-step.ts";

export interface StepResult {
  readonly step: PurgeStep;
  /** The reason why the step failed or was skipped. Absent if the step is done. */
  readonly error?: HostError;
}

export async function runSteps(steps: readonly PurgeStep[]): Promise<readonly StepResult[]> {
  const results: StepResult[] = [];
  const failed = new Map<PurgeKind, HostError>();
  for (const step of steps) {
    const error = (step.after && failed.get(step.after)) ?? (await run(step, new Set(failed.keys())));
    if (error && !failed.has(step.kind)) failed.set(step.kind, error);
    results.push({ step, ...(error && { error }) });
  }
  return results;
}

/** Returns the error if the step fails. */
async function run(step: PurgeStep, failed: ReadonlySet<PurgeKind>): Promise<HostError | undefined> {
  try {
    await step.run(failed);
    return undefined;
  } catch (thrown) {
    return toHostError(thrown);
  }
}
