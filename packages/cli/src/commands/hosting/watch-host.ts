/** Writes a line for each event of the host that matters to a person, and when a server becomes ready or fails. */
import type { HostApi, HostEvent, ServerStatus, Snapshot, Workspace, Clock } from "@plugboard/contracts";
import { abortableDelay, steadyNow, systemClock } from "@plugboard/contracts";
import {
  describeEvent,
  describeMoreCalls,
  describeServerLine,
  renderHostLine,
} from "../../render/hosting/render-host-event.ts";
import type { HostLine } from "../../render/hosting/render-host-event.ts";
import type { Output } from "../../terminal/output.ts";
import { BatchedLines } from "../../terminal/batched-lines.ts";
import { CallLineLimit } from "./call-line-limit.ts";
import { followEvents } from "../../events/follow-events.ts";
import type { EventSubscription } from "../../events/follow-events.ts";

export interface WatchedHost {
  readonly api: Pick<HostApi, "events">;
  readonly workspace: Pick<Workspace, "status">;
  readonly snapshot: Pick<Snapshot, "seq" | "servers">;
}

const SERVER_EVENTS: ReadonlySet<HostEvent["type"]> = new Set([
  "server.changed",
  "catalog.changed",
  "config.changed",
] as const);

/** A line is not repeated within this time, because several workspaces of one folder report the same change. */
const REPEATED_WITHIN_MS = 2000;

/** The pause after each read of the status, as a multiple of its duration. */
const REST_FACTOR = 10;

export interface HostWatch extends EventSubscription {
  /** Reads the status of the servers again. */
  refresh(): void;
}

/** Shows the servers of the workspace, and the calls and problems of the whole host. */
export function watchHost(
  { api, workspace, snapshot }: WatchedHost,
  stdout: Output,
  clock: Clock = systemClock,
): HostWatch {
  const serverLines = new Map<string, string>();
  const lastSeen = new Map<string, number>();
  let isStale = false;
  let isReading = false;
  let reading = Promise.resolve();
  const stopping = new AbortController();
  const lines = new BatchedLines(stdout);
  const write = (line: HostLine, at: number) => lines.write(renderHostLine(line, at));
  const callLines = new CallLineLimit((summary) => write(describeMoreCalls(summary), Date.now()));

  function showServers(servers: readonly ServerStatus[]): void {
    const now = Date.now();
    for (const server of servers) {
      const line = describeServerLine(server, now);
      const key = line && (line.key ?? line.text);
      if (line && key !== serverLines.get(server.id)) write(line, now);
      // While a server connects again, its last line is remembered, so that a failure is not repeated.
      if (key !== undefined) serverLines.set(server.id, key);
      else if (server.state !== "connecting") serverLines.delete(server.id);
    }
  }

  /** Reads the status again if events arrive meanwhile, once for all of them. Reading hundreds of servers is slow. */
  async function readStatus(): Promise<void> {
    isReading = true;
    try {
      while (isStale) {
        isStale = false;
        const started = steadyNow(clock);
        showServers(await workspace.status());
        await abortableDelay(clock, (steadyNow(clock) - started) * REST_FACTOR, [stopping.signal]);
      }
    } catch {
      // The host has ended, which `serve` reports.
    } finally {
      isReading = false;
    }
  }

  function refresh(): void {
    isStale = true;
    if (!isReading) reading = readStatus();
  }

  function onEvent(event: HostEvent): void {
    if (SERVER_EVENTS.has(event.type)) refresh();
    if (event.type === "call.ended" && !callLines.admit(event)) return;
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
    refresh,
    async stop() {
      await subscription.stop();
      stopping.abort();
      await reading;
      callLines.flush();
      lines.flush();
    },
  };
}
