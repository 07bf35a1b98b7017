/** Describes an error for the person at the terminal: what happened, then what to do. */
import { commandMessage, isHostError } from "@plugboard/contracts";

export function describeThrown(thrown: unknown): string {
  if (isHostError(thrown)) return commandMessage(thrown);
  return thrown instanceof Error ? thrown.message : String(thrown);
}
