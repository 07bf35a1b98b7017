/** Converts a CONFIG_INVALID error to a problem that keeps the position and states the consequence. */
import type { ConfigProblem, HostError } from "@plugboard/contracts";

export function configErrorToProblem({ code, message, details }: HostError, consequence: string): ConfigProblem {
  if (code !== "CONFIG_INVALID") return { severity: "error", file: "", message };
  const { file, line, column, reason } = details as { file: string; line?: number; column?: number; reason: string };
  const place = { ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
  return { severity: "error", file, ...place, message: `${reason}; ${consequence}` };
}
