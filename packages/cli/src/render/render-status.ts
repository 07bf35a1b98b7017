/** Renders the state of the servers as a table, followed by their errors and unusable tools. */
import { commandMessage, sanitize, sanitizeLine } from "@plugboard/contracts";
import type { ServerStatus } from "@plugboard/contracts";
import { renderTableWithLogins } from "./render-logins.ts";

export function renderStatus(servers: readonly ServerStatus[], now: number): string {
  const rows = servers.map((server) => [
    server.id,
    transportCell(server),
    server.source,
    enabledCell(server),
    server.state,
    toolsCell(server),
    protocolCell(server),
    server.pid === undefined ? "–" : String(server.pid),
  ]);
  const head = ["SERVER", "TRANSPORT", "SOURCE", "ENABLED", "STATE", "TOOLS", "PROTOCOL", "PID"];
  const table = renderTableWithLogins(head, rows, servers, now);
  const notes = servers.flatMap(notesFor);
  return notes.length === 0 ? table : `${table}\n${notes.join("")}`;
}

/** Returns a dash for an invalid entry, whose transport is unknown. */
export function transportCell(server: ServerStatus): string {
  return isInvalid(server) ? "–" : server.transport;
}

/** Returns "no" for a server that a program has disabled, although it is connected. */
export function enabledCell({ enabled, hidden }: ServerStatus): string {
  return enabled && !hidden ? "yes" : "no";
}

export function toolsCell({ state, tools }: ServerStatus): string {
  return state === "ready" ? String(tools) : "–";
}

export function protocolCell({ era, version }: ServerStatus): string {
  return era ? `${version} (${era})` : "–";
}

export function isInvalid({ lastError }: ServerStatus): boolean {
  return lastError?.code === "SERVER_INVALID";
}

function notesFor({ id, lastError, droppedTools = [] }: ServerStatus): string[] {
  const error = lastError && `${lastError.code}: ${commandMessage(lastError)}`;
  const dropped = droppedTools.map(({ tool, reason }) => `tool ${tool} can't be used: ${reason}`);
  return [...(error === undefined ? [] : [error]), ...dropped].map((note) => renderNote(id, note));
}

function renderNote(id: string, note: string): string {
  return `${sanitizeLine(id)}: ${sanitize(note.trim()).replaceAll("\n", "\n    ")}\n`;
}
