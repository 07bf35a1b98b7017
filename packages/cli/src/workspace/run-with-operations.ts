/** Runs a command with the operations, prints the problems of the config first, and ends the command on Ctrl-C. */
import { buildApi, callMethod, HostError, OPERATION_METHODS } from "@plugboard/contracts";
import type { Operations } from "@plugboard/contracts";
import { renderError } from "../render/render-error.ts";
import { renderProblem } from "../render/render-problem.ts";
import type { CliContext } from "../terminal/cli-context.ts";
import { Interruption, interruptedError, rejectOnInterrupt } from "../terminal/interruption.ts";
import { withOperations } from "./with-operations.ts";
import type { OperationsOptions } from "./with-operations.ts";

export interface OperationsContext {
  /** Its methods reject when the user interrupts the command. */
  readonly operations: Operations;
  /** Aborts when the user interrupts the command. */
  readonly interrupted: AbortSignal;
  /** Called when the user types Ctrl-C at a prompt. */
  readonly interrupt: () => void;
}

/** Returns the command's exit status, or the status for the signal if the command was interrupted. */
export async function runWithOperations(
  options: OperationsOptions & { readonly json?: boolean },
  cli: CliContext,
  run: (context: OperationsContext) => Promise<number>,
): Promise<number> {
  const interruption = new Interruption(cli);
  const { signal: interrupted } = interruption;
  const interrupt = () => interruption.interrupt();
  const runHere = async (uninterrupted: Operations) => {
    const { operations } = buildApi(
      OPERATION_METHODS,
      (path) =>
        (...args) =>
          rejectOnInterrupt(callMethod({ operations: uninterrupted }, path, args), interrupted),
    );
    for (const problem of await operations.configProblems()) cli.stderr.write(renderProblem(problem));
    return run({ operations, interrupted, interrupt });
  };
  try {
    const status = await withOperations(cli, runHere, options);
    return interruption.exitStatus ?? status;
  } catch (thrown) {
    if (interruption.exitStatus === undefined) throw thrown;
    const isCancelled = thrown instanceof HostError && thrown.code === "CANCELLED";
    cli.stderr.write(renderError(isCancelled ? thrown : interruptedError(interrupted, "command"), options));
    return interruption.exitStatus;
  } finally {
    interruption.stopListening();
  }
}
