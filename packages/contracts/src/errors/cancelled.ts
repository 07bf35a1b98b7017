import { HostError } from "./error.ts";

/** The reason of a cancellation if the caller gives none. */
export const CALLER_CANCELLED = "the caller cancelled the request";

/** Creates the error of work that ended because it was cancelled. */
export function cancelled(reason: string = CALLER_CANCELLED): HostError<"CANCELLED"> {
  return new HostError("CANCELLED", { reason });
}
