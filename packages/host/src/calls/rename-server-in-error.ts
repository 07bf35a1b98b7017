/** Puts the workspace's id of a server into an error. Workspaces share connections, but may use different ids. */
import { HostError } from "@plugboard/contracts";

export function renameServerInError(error: HostError, server: string): HostError {
  const details = error.details as { readonly server?: unknown };
  if (typeof details.server !== "string" || details.server === server) return error;
  return new HostError(error.code, { ...error.details, server }, { cause: error.cause });
}
