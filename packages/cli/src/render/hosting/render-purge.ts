/** Renders what `plugboard purge` would do, and what it has done. */
import { sanitizeLine } from "@plugboard/contracts";
import type { PurgePlan, PurgeStep, StepResult } from "@plugboard/host/operations";
import type { Text } from "../../terminal/text.ts";
import { renderError } from "../render-error.ts";
import { renderDiff } from "../servers/render-connect.ts";

/** Shows every step, and the change of each client's file. */
export function renderPurgePlan(steps: readonly PurgeStep[], { kept, notes }: Pick<PurgePlan, "kept" | "notes">): Text {
  return [
    steps.length === 0
      ? "There is nothing to remove.\n"
      : "This removes Plugboard from this machine, in this order:\n\n",
    ...steps.flatMap(renderStep),
    kept.length === 0 ? "" : `\nYour config stays: ${list(kept)}. Add --config to remove it, too.\n`,
    "\nConfig files in the folders of projects stay.\n",
    ...notes.map((note) => `${sanitizeLine(note)}\n`),
    "\n",
  ];
}

export const PURGED =
  "Done. To remove the command itself, run `npm uninstall --global plugboard`, or delete its folder.\n";

/** Lists the steps that have failed, with the reasons. */
export function renderFailedSteps(results: readonly StepResult[]): Text {
  const failed = results.flatMap(({ step, error }) => (error ? [{ step, error }] : []));
  const done = results.length - failed.length;
  return [
    `${done} of ${results.length} steps are done. These have failed:\n`,
    ...failed.map(({ step, error }) => `\n  ${sanitizeLine(step.text)}\n    ${renderError(error)}`),
    "\nRun `plugboard purge` again when the cause is gone.\n",
  ];
}

function renderStep({ text, diff = [] }: PurgeStep): Text[] {
  if (diff.length === 0) return [`  ${sanitizeLine(text)}\n`];
  return [`  ${sanitizeLine(text)}\n\n`, renderDiff(diff), "\n"];
}

function list(paths: readonly string[]): string {
  return sanitizeLine(paths.join(", "));
}
