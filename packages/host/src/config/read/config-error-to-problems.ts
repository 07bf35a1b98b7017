/** Converts a CONFIG_INVALID error to problems with their positions. */
import { isHostError } from "@plugboard/contracts";
import type { ConfigProblem, HostError } from "@plugboard/contracts";

/** `consequence` is added to the first problem. */
export function configErrorToProblems(error: HostError, consequence?: string): ConfigProblem[] {
  if (!isHostError(error) || error.code !== "CONFIG_INVALID")
    return [{ severity: "error", file: "", message: error.message }];
  const { file, line, column, reason, others = [] } = error.details;
  return [{ line, column, reason }, ...others].map((problem, index) => ({
    severity: "error",
    file,
    ...(problem.line !== undefined && { line: problem.line }),
    ...(problem.column !== undefined && { column: problem.column }),
    message: index === 0 && consequence !== undefined ? `${problem.reason}; ${consequence}` : problem.reason,
  }));
}
