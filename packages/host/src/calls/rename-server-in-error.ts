/** A shared connection's errors name it as whoever opened it first does; each workspace is told its own name for it. */
import { HostError } from "@plugboard/contracts";

export function renameServerInError(error: HostError, server: string): HostError {
  const details = error.details as { readonly server?: unknown };
  if (typeof details.server !== "string" || details.server === server) return error;
  return new HostError(error.code, { ...error.details, server }, { cause: error.cause });
}
