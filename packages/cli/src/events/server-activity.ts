/**
 * Tracks which servers are starting, waiting for a retry or for a login, and describes it in one line for people who
 * wait for them. Pure: no clock, no I/O. `show-server-activity.ts` supplies the events.
 */
import { commandMessage, formatDuration } from "@plugboard/contracts";
import type { HostErrorJson, HostEvent, ServerDetail, ServerStatus } from "@plugboard/contracts";
import { withElapsed } from "../terminal/elapsed.ts";
import { findLauncher } from "./find-launcher.ts";

type Phase =
  | { readonly phase: "starting"; readonly since: number }
  | { readonly phase: "retrying"; readonly retryAt: number; readonly error: HostErrorJson | undefined }
  | { readonly phase: "waiting for login"; readonly since: number }
  | { readonly phase: "ready" };

/** A server that the command may wait for. */
type ActiveServer = Pick<ServerStatus, "id" | "transport" | "target"> & {
  readonly current: Phase | undefined;
  /** The last line of its stderr, which often says what it is doing. */
  readonly output?: string | undefined;
  /** Undefined until it is known. */
  readonly isFirstStart?: boolean | undefined;
};

export type ServerActivity = ReadonlyMap<string, ActiveServer>;

/** How long a start takes before a download is the likely cause. */
const DOWNLOAD_AFTER_MS = 2000;
const MAX_NAMED = 3;

export function initialActivity(servers: readonly ServerStatus[], now: number): ServerActivity {
  return new Map(
    servers.map(({ id, transport, target, state, retryAt, lastError: error }) => {
      const isConnecting = state === "connecting";
      const current = isConnecting ? connectingPhase({ retryAt, error, now }) : undefined;
      return [id, { id, transport, target, current }];
    }),
  );
}

/** Returns the same object if the event changes nothing. Ignores servers that are not in the activity. */
export function activityAfter(activity: ServerActivity, event: HostEvent): ServerActivity {
  if (!("server" in event)) return activity;
  const server = activity.get(event.server);
  if (!server) return activity;
  const set = (current: Phase | undefined) => new Map(activity).set(server.id, { ...server, current });
  switch (event.type) {
    case "server.changed":
      if (event.state === "connecting") return set(connectingPhase({ ...event, now: event.at }));
      return set(event.state === "ready" ? { phase: "ready" } : undefined);
    case "login.waiting":
      return set({ phase: "waiting for login", since: event.at });
    case "login.changed":
    case "login.failed":
      // The login of a client of the gateway, which this command does not wait for.
      if ("principal" in event) return activity;
      return server.current?.phase === "waiting for login" ? set(undefined) : activity;
    default:
      return activity;
  }
}

/** Describes what the command waits for. Returns undefined if all servers are ready or idle. */
export function describeActivity(activity: ServerActivity, now: number): string | undefined {
  const servers = [...activity.values()];
  const starting = (isLocal: boolean) =>
    servers.flatMap((server) =>
      server.current?.phase === "starting" && (server.transport === "stdio") === isLocal
        ? describeStart(server, now - server.current.since)
        : [],
    );
  const others = servers.flatMap(({ id, current }) => {
    if (current?.phase === "retrying") {
      const reason = current.error ? `: ${commandMessage(current.error)}` : "";
      // 999 ms more, so that the seconds are rounded up.
      return `${id}: retrying in ${formatDuration(current.retryAt - now + 999)}${reason}`;
    }
    return current?.phase === "waiting for login"
      ? withElapsed(`waiting for another login to ${id}`, now - current.since)
      : [];
  });
  const parts = [joinNames("starting", starting(true)), joinNames("connecting to", starting(false)), ...others];
  return parts.filter((part) => part !== "").join(" · ") || undefined;
}

/** Returns the ids of the servers that are running, and so have to be stopped. */
export function runningServers(activity: ServerActivity): string[] {
  return [...activity.values()].flatMap(({ id, current }) =>
    current?.phase === "ready" || current?.phase === "starting" ? id : [],
  );
}

/** Returns the ids of servers that have been starting for so long that their output is shown. */
export function slowServers(activity: ServerActivity, now: number): string[] {
  return [...activity.values()].flatMap(({ id, current }) =>
    current?.phase === "starting" && now - current.since >= DOWNLOAD_AFTER_MS ? id : [],
  );
}

/** Adds what is known about a server that starts slowly. Its tools are known if it has been started before. */
export function withDetail(
  activity: ServerActivity,
  id: string,
  { stderr = "", tools }: Pick<ServerDetail, "stderr" | "tools">,
): ServerActivity {
  const server = activity.get(id);
  if (!server) return activity;
  const output = stderr.trimEnd().split("\n").at(-1)?.trim() || undefined;
  return new Map(activity).set(id, { ...server, output, isFirstStart: tools === 0 });
}

function connectingPhase({
  retryAt,
  error,
  now,
}: {
  readonly retryAt?: number | undefined;
  readonly error?: HostErrorJson | undefined;
  readonly now: number;
}): Phase {
  return retryAt === undefined ? { phase: "starting", since: now } : { phase: "retrying", retryAt, error };
}

function describeStart({ id, target, output, isFirstStart }: ActiveServer, elapsedMs: number): string {
  const text = withElapsed(id, elapsedMs);
  if (elapsedMs < DOWNLOAD_AFTER_MS) return text;
  // Quoted, because it is the server's own text.
  if (output !== undefined) return `${text} “${output}”`;
  const launcher = isFirstStart ? findLauncher(target) : undefined;
  return launcher === undefined ? text : `${text} (${launcher} may be downloading it)`;
}

function joinNames(verb: string, names: readonly string[]): string {
  if (names.length === 0) return "";
  const rest = names.length - MAX_NAMED;
  return `${verb} ${names.slice(0, MAX_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
