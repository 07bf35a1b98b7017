/** Reads the status of all servers again whenever an event says that it may have changed. */
import { HostError } from "@plugboard/contracts";
import type { HostEvent, ServerStatus } from "@plugboard/contracts";
import type { CommandContext } from "./with-workspace.ts";

/** Calls `onStatus` with the first status and each changed one. Resolves when interrupted. Throws if the host ends. */
export async function followStatus(
  { api, workspace, interrupted }: Pick<CommandContext, "api" | "workspace" | "interrupted">,
  onStatus: (servers: readonly ServerStatus[]) => void,
): Promise<void> {
  const { seq, servers } = await workspace.snapshot();
  let last = JSON.stringify(servers);
  onStatus(servers);
  for await (const event of api.events(seq, interrupted)) {
    // Only workspaces with started servers watch their files. This one reads them when another one reports a change.
    if (event.type === "config.changed") await workspace.config.reload();
    if (!STATUS_EVENTS.has(event.type)) continue;
    const current = await workspace.status();
    const text = JSON.stringify(current);
    if (text !== last) onStatus(current);
    last = text;
  }
  if (!interrupted.aborted) throw new HostError("HOST_CLOSED", {});
}

const STATUS_EVENTS: ReadonlySet<HostEvent["type"]> = new Set([
  "server.changed",
  "catalog.changed",
  "config.changed",
  "login.changed",
] as const);
