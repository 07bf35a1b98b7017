/** Implements `plugboard purge`. */
import { ERROR_TABLE } from "@plugboard/contracts";
import { planPurge, runSteps } from "@plugboard/host/operations";
import type { StepResult } from "@plugboard/host/operations";
import type { PurgeOutput, PurgeStepOutput } from "../../outputs/host-outputs.ts";
import { confirmChange } from "../../prompt/confirm-change.ts";
import { PURGED, renderFailedSteps, renderPurgePlan } from "../../render/hosting/render-purge.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { planHostEnd } from "./plan-host-end.ts";

interface PurgeInput {
  readonly config: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** Shows every step before it changes anything. If a step fails, the other steps are still done. */
export async function purge({ config, dryRun, yes, json }: PurgeInput, cli: CliContext): Promise<number> {
  const { cwd, env, stdout, stderr } = cli;
  const { clients, files, kept, notes } = await planPurge({ cwd, env, configFiles: [] }, { config, now: Date.now });
  const steps = [...clients, ...(await planHostEnd(env)), ...files];
  if (!json) stdout.write(renderPurgePlan(steps, { kept, notes }));
  if (!dryRun && !yes && steps.length > 0) {
    const withoutTerminal = "Add --yes to remove this, or --dry-run to only see it";
    const declined = await confirmChange("Remove all this?", withoutTerminal, cli);
    if (declined !== undefined) return declined;
  }
  const results: readonly StepResult[] = dryRun ? [] : await runSteps(steps);
  const error = results.find((result) => result.error)?.error;
  if (json)
    stdout.json({ dryRun, steps: steps.map((step) => toOutput(step, results)), kept, notes } satisfies PurgeOutput);
  else if (error) stderr.write(renderFailedSteps(results));
  else if (steps.length > 0) stdout.write(dryRun ? "Nothing was removed, because of --dry-run.\n" : PURGED);
  return error ? ERROR_TABLE[error.code].exit : 0;
}

function toOutput(step: StepResult["step"], results: readonly StepResult[]): PurgeStepOutput {
  const { kind, text, diff } = step;
  const result = results.find((each) => each.step === step);
  const done = result !== undefined && !result.error;
  return { kind, text, ...(diff && { diff }), done, ...(result?.error && { error: result.error.toJSON() }) };
}
