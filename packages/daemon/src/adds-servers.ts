/** Tells whether a method call makes the host run a server that the client chose. */
import { isJsonObject } from "@plugboard/contracts";
import type { WorkspaceMethodPath } from "@plugboard/contracts";

/** True if the call has a server definition, or trusts a project's server. Accepts unchecked arguments. */
export function addsServers(path: WorkspaceMethodPath, args: readonly unknown[]): boolean {
  const second = args[1];
  if (path === "servers.connect") return isJsonObject(second) && (second["definition"] ?? undefined) !== undefined;
  if (path === "inbox.answer") return isJsonObject(second) && second["type"] === "trust";
  return path === "servers.set" || path === "config.trust";
}
