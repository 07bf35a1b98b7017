/** Finds out what `plugboard trust` can do about a server: approve it, or say why there is nothing to do. */
import { HostError } from "@plugboard/contracts";
import type { ConfigSource, ErrorDetails, PendingServer, Workspace } from "@plugboard/contracts";
import { isProjectSource } from "@plugboard/config";
import type { UnchangedServer } from "../../render/questions/render-trust.ts";

export type TrustState = { readonly pending: PendingServer } | { readonly unchanged: UnchangedServer };

/** Throws SERVER_UNKNOWN, or SERVER_INVALID for a definition that can't be approved. */
export async function trustStateOf(
  server: string,
  pending: readonly PendingServer[],
  workspace: Workspace,
): Promise<TrustState> {
  // The definition with the highest precedence, which is the one that would run.
  const found = pending.findLast(({ id }) => id === server);
  if (found) return { pending: found };
  const { source, enabled, lastError } = await workspace.servers.detail(server);
  if (lastError?.code === "SERVER_INVALID" && !enabled) {
    throw new HostError("SERVER_INVALID", lastError.details as ErrorDetails["SERVER_INVALID"]);
  }
  return { unchanged: isProjectSource(source) ? { server, reason: "already approved" } : needsNone(server, source) };
}

/** The reason why nothing could be withdrawn. */
export async function notRevoked(server: string, workspace: Workspace): Promise<UnchangedServer> {
  const { source } = await workspace.servers.detail(server);
  return isProjectSource(source) ? { server, reason: "not approved" } : needsNone(server, source);
}

function needsNone(server: string, source: ConfigSource): UnchangedServer {
  return { server, reason: "needs no approval", source };
}
