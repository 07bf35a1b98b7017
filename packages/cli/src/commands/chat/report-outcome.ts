/** Reports how the turn of `plugboard run` has ended. */
import { cancelled, ERROR_TABLE, HostError } from "@plugboard/contracts";
import type { HostErrorJson } from "@plugboard/contracts";
import { renderError } from "../../render/render-error.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { interruptedError } from "../../terminal/interruption.ts";
import type { CommandContext, CommandOptions } from "../../workspace/with-workspace.ts";
import type { RunReport } from "./run-report.ts";

/** Prints an error if the outcome is not `done`. Returns the exit status. `storedChat` is the id of a stored chat. */
export function reportOutcome(
  { outcome, error }: RunReport,
  storedChat: string | undefined,
  options: CommandOptions,
  { interrupted }: CommandContext,
  { stderr }: CliContext,
): number {
  if (outcome === "done") return 0;
  const failure = toFailure(outcome, error, storedChat, interrupted);
  stderr.write(renderError(failure, options));
  return ERROR_TABLE[failure.code].exit;
}

function toFailure(
  outcome: Exclude<RunReport["outcome"], "done">,
  error: HostErrorJson | undefined,
  storedChat: string | undefined,
  interrupted: AbortSignal,
): HostError | HostErrorJson {
  if (outcome === "failed") return error ?? new HostError("INTERNAL", { reason: "the turn failed without an error" });
  if (outcome !== "cancelled")
    return new HostError("TURN_INCOMPLETE", {
      reason: outcome,
      ...(storedChat !== undefined && { chat: storedChat }),
    });
  return interrupted.aborted ? interruptedError(interrupted, "command") : cancelled("The turn was cancelled");
}
