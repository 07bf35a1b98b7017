/** Connects several servers at the same time, and reports each as soon as it is ready or has failed. */
import { toHostError } from "@plugboard/contracts";
import type { HostError, ServerStatus, Workspace } from "@plugboard/contracts";
import { rejectOnInterrupt } from "../terminal/interruption.ts";
import type { CommandContext } from "./with-workspace.ts";

export interface ConnectedServer {
  readonly status: ServerStatus;
  /** The reason why the server is not ready. */
  readonly error?: HostError;
}

/** Calls `onDone` in the order in which the servers are done. Rejects only if the command is interrupted. */
export async function connectEach(
  servers: readonly ServerStatus[],
  { workspace, interrupted, isPrivate }: Pick<CommandContext, "workspace" | "interrupted" | "isPrivate">,
  onDone: (server: ConnectedServer) => void,
): Promise<void> {
  const connect = async (server: ServerStatus) => {
    try {
      onDone({ status: await workspace.servers.connect(server.id, { signal: interrupted }) });
    } catch (thrown) {
      if (interrupted.aborted) return;
      const statuses = await workspace.status();
      onDone({ status: statuses.find(({ id }) => id === server.id) ?? server, error: toHostError(thrown) });
      if (isPrivate) stopRetrying(server.id, workspace);
    }
  };
  await rejectOnInterrupt(Promise.all(servers.map(connect)), interrupted);
}

/** The host would go on retrying. A failure to stop is ignored, because the host ends with the command. */
export function stopRetrying(id: string, workspace: Workspace): void {
  void workspace.servers.disconnect(id).catch(() => {});
}
