/** Tells whether a method call makes the host run a server that the client chose. */
import { isJsonObject } from "@plugboard/contracts";
import type { WorkspaceMethodPath } from "@plugboard/contracts";

/** True if the call brings a server definition or trusts one of a project. The arguments need not be checked yet. */
export function addsServers(path: WorkspaceMethodPath, args: readonly unknown[]): boolean {
  const second = args[1];
  if (path === "servers.connect") return isJsonObject(second) && (second["definition"] ?? undefined) !== undefined;
  if (path === "inbox.answer") return isJsonObject(second) && second["type"] === "trust";
  return path === "servers.set" || path === "config.trust";
}
