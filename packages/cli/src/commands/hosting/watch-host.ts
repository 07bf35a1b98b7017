/** Writes a line for each event of the host that a person wants to see, and for each server as it becomes ready or fails. */
import type { HostApi, HostEvent, ServerStatus, Snapshot, Workspace } from "@plugboard/contracts";
import { describeEvent, describeServerLine, renderHostLine } from "../../render/hosting/render-host-event.ts";
import type { HostLine } from "../../render/hosting/render-host-event.ts";
import type { Output } from "../../terminal/output.ts";
import { followEvents } from "../../events/follow-events.ts";
import type { EventSubscription } from "../../events/follow-events.ts";

export interface WatchedHost {
  readonly api: Pick<HostApi, "events">;
  readonly workspace: Pick<Workspace, "status">;
  readonly snapshot: Pick<Snapshot, "seq" | "servers">;
}

/** Several workspaces of one folder report the same change. */
const REPEATED_WITHIN_MS = 2000;

/** Shows the servers of the workspace, and the calls and problems of the whole host. */
export function watchHost({ api, workspace, snapshot }: WatchedHost, stdout: Output): EventSubscription {
  const serverLines = new Map<string, string>();
  const lastSeen = new Map<string, number>();
  let refreshing: Promise<void> | undefined;
  let isStale = false;
  const write = (line: HostLine, at: number) => stdout.write(renderHostLine(line, at));

  function showServers(servers: readonly ServerStatus[]): void {
    const now = Date.now();
    for (const server of servers) {
      const line = describeServerLine(server, now);
      const key = line && (line.key ?? line.text);
      if (line && key !== serverLines.get(server.id)) write(line, now);
      // While a server connects again, its last line stays in effect, so that a failure is not repeated.
      if (key !== undefined) serverLines.set(server.id, key);
      else if (server.state !== "connecting") serverLines.delete(server.id);
    }
  }

  /** Reads the status once for all events that arrive meanwhile. */
  async function refresh(): Promise<void> {
    do {
      isStale = false;
      showServers(await workspace.status());
    } while (isStale);
  }

  function onEvent(event: HostEvent): void {
    if (event.type === "server.changed" || event.type === "config.changed" || event.type === "catalog.changed") {
      isStale = true;
      // A failure is ignored, because the host has then ended, which `serve` reports.
      refreshing ??= refresh()
        .catch(() => {})
        .finally(() => (refreshing = undefined));
    }
    const line = describeEvent(event);
    if (!line || isRepeated(event, line)) return;
    write(line, event.at);
  }

  function isRepeated({ type, at }: HostEvent, { text }: HostLine): boolean {
    if (type === "call.ended" || type === "decision.made") return false;
    const last = lastSeen.get(text);
    lastSeen.set(text, at);
    return last !== undefined && at - last < REPEATED_WITHIN_MS;
  }

  showServers(snapshot.servers);
  const subscription = followEvents(api, snapshot.seq, onEvent);
  return {
    async stop() {
      await subscription.stop();
      await refreshing;
    },
  };
}
