/** Workspaces share connections, but may know the same server by different ids. Puts the workspace's id in an error. */
import { HostError } from "@plugboard/contracts";

export function renameServerInError(error: HostError, server: string): HostError {
  const details = error.details as { readonly server?: unknown };
  if (typeof details.server !== "string" || details.server === server) return error;
  return new HostError(error.code, { ...error.details, server }, { cause: error.cause });
}
