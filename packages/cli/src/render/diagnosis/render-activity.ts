/** Renders entries of the activity journal as a table, or one row at a time while they arrive. */
import { sanitizeLine, stoppedWord } from "@plugboard/contracts";
import type { ActivityEntry, CallEntry } from "@plugboard/contracts";
import { renderTable } from "../render-table.ts";
import { renderTime } from "../render-time.ts";

const HEAD = ["TIME", "CALLER", "SERVER:TOOL", "OUTCOME", "DURATION", "SIZE", "CODE"];
/** The least widths of the columns while rows arrive, because later rows are not known yet. */
const WIDTHS = [19, 7, 30, 12, 10, 9, 4];

export function renderActivity(entries: readonly ActivityEntry[]): string {
  return entries.length === 0 ? "Nothing has happened yet.\n" : renderTable(HEAD, entries.map(toCells));
}

/** The first line above the rows of `renderActivityRow`. */
export const ACTIVITY_HEAD = renderRow(HEAD);

export function renderActivityRow(entry: ActivityEntry): string {
  return renderRow(toCells(entry).map(sanitizeLine));
}

function renderRow(cells: readonly string[]): string {
  return `${cells
    .map((cell, column) => cell.padEnd(WIDTHS[column]!))
    .join("  ")
    .trimEnd()}\n`;
}

function toCells(entry: ActivityEntry): string[] {
  const time = renderTime(entry.at);
  switch (entry.type) {
    case "call":
      return [time, ...callCells(entry)];
    case "decision": {
      const { about, server, tool, decision } = entry;
      return [time, NONE, tool === undefined ? server : `${server}:${tool}`, `${about}: ${decision}`, NONE, NONE, NONE];
    }
    case "server":
      return [time, NONE, entry.server, entry.state, NONE, NONE, entry.code ?? NONE];
    case "config":
      return [time, NONE, NONE, renderConfigChange(entry), NONE, NONE, NONE];
    case "lost":
      return [time, NONE, NONE, `${entry.entries} entries are missing here`, NONE, NONE, NONE];
  }
}

function callCells({
  caller,
  client,
  server,
  tool,
  outcome,
  isError,
  schemaMismatch,
  code,
  durationMs,
  resultBytes,
}: CallEntry): string[] {
  const result =
    stoppedWord(code) ??
    (outcome === "failed" ? "failed" : isError ? "tool error" : schemaMismatch ? "ok, schema mismatch" : "ok");
  const size = resultBytes === undefined ? NONE : renderBytes(resultBytes);
  // "front" is a word of the code. People know it as a client.
  const name = client ?? (caller === "front" ? "client" : caller);
  return [name, `${server}:${tool}`, result, renderMilliseconds(durationMs), size, code ?? NONE];
}

function renderConfigChange({ added, removed, changed }: Extract<ActivityEntry, { type: "config" }>): string {
  const parts = [
    ["added", added],
    ["removed", removed],
    ["changed", changed],
  ] as const;
  return `config: ${parts.flatMap(([verb, ids]) => (ids.length === 0 ? [] : [`${verb} ${ids.join(", ")}`])).join("; ")}`;
}

export function renderMilliseconds(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
}

export function renderBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export const NONE = "–";
