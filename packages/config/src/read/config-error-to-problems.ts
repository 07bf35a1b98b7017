/** Converts a CONFIG_INVALID error to problems with their positions. */
import { isHostError } from "@plugboard/contracts";
import type { ConfigProblem, HostError } from "@plugboard/contracts";

/** `consequence` is added to the first problem. */
export function configErrorToProblems(error: HostError, consequence?: string): ConfigProblem[] {
  if (!isHostError(error) || error.code !== "CONFIG_INVALID")
    return [{ severity: "error", file: "", message: error.message }];
  const { file, line, column, reason, others = [] } = error.details;
  const place = { ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
  const message = consequence === undefined ? reason : `${reason}; ${consequence}`;
  const otherProblems = others.map(({ severity = "error" as const, reason: otherReason, ...otherPlace }) => ({
    severity,
    file,
    ...otherPlace,
    message: otherReason,
  }));
  return [{ severity: "error", file, ...place, message }, ...otherProblems];
}
