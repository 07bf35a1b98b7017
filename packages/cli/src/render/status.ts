/** The state of the servers as a table, and below it what there is to say about single ones. */
import { sanitise, sanitiseLine } from "@plugboard/contracts";
import type { ServerStatus } from "@plugboard/contracts";
import { renderWithLogins } from "./logins.ts";

export function renderStatus(servers: readonly ServerStatus[], now: number): string {
  const rows = servers.map((server) => [
    server.id,
    transportOf(server),
    server.source,
    enabledOf(server),
    server.state,
    toolsOf(server),
    protocolOf(server),
    server.pid === undefined ? "–" : String(server.pid),
  ]);
  const head = ["SERVER", "TRANSPORT", "SOURCE", "ENABLED", "STATE", "TOOLS", "PROTOCOL", "PID"];
  const table = renderWithLogins(head, rows, servers, now);
  const notes = servers.flatMap(notesOn);
  return notes.length === 0 ? table : `${table}\n${notes.join("")}`;
}

/** Nothing is known of how an invalid entry would be run. */
export function transportOf(server: ServerStatus): string {
  return isInvalid(server) ? "–" : server.transport;
}

/** Returns "no" for a server that a program has disabled, although it is connected. */
export function enabledOf({ enabled, hidden }: ServerStatus): string {
  return enabled && !hidden ? "yes" : "no";
}

export function toolsOf({ state, tools }: ServerStatus): string {
  return state === "ready" ? String(tools) : "–";
}

export function protocolOf({ era, version }: ServerStatus): string {
  return era ? `${version} (${era})` : "–";
}

export function isInvalid({ last_error }: ServerStatus): boolean {
  return last_error?.code === "SERVER_INVALID";
}

function notesOn({ id, last_error, dropped_tools = [] }: ServerStatus): string[] {
  const error = last_error && `${last_error.code}: ${last_error.message}`;
  const dropped = dropped_tools.map(({ tool, reason }) => `tool ${tool} left out: ${reason}`);
  return [...(error === undefined ? [] : [error]), ...dropped].map((note) => renderNote(id, note));
}

function renderNote(id: string, note: string): string {
  return `${sanitiseLine(id)}: ${sanitise(note.trim()).replaceAll("\n", "\n    ")}\n`;
}
