/** Renders the state of the servers as a table, followed by their errors and unusable tools. */
import {
  commandMessage,
  formatDuration,
  isInvalid,
  isUntrusted,
  sanitize,
  sanitizeLine,
  SHOWN_STATES,
  shownState,
} from "@plugboard/contracts";
import type { ServerStatus, ShownState } from "@plugboard/contracts";
import { withElapsed } from "../../terminal/elapsed.ts";
import { styled } from "../../terminal/text.ts";
import type { StyleName, Text } from "../../terminal/text.ts";
import { summarizeLogin } from "../logins/render-logins.ts";
import { layOutTable } from "../render-table.ts";
import type { Cell, Table } from "../render-table.ts";

export interface StatusOptions {
  readonly now: number;
  /** The width of the terminal. By default, rows have any width. */
  readonly columns?: number;
  /** True if the servers belong to a running host, so that it is worth showing how long they have been connected. */
  readonly isLive?: boolean;
  /** Returns since when the server has been connecting, if that is known. */
  readonly connectingSince?: (id: string) => number | undefined;
  /** The columns that a narrow terminal does not show, the least important first. */
  readonly optional?: readonly string[];
}

export function renderStatus(servers: readonly ServerStatus[], options: StatusOptions): Text {
  const { table, cells } = layOutStatus(servers, options);
  const notes = servers.map(renderNotes).join("");
  return [table.head, ...servers.map((server) => table.row(cells(server))), notes === "" ? "" : `\n${notes}`];
}

export interface StatusTable {
  readonly table: Table;
  readonly cells: (server: ServerStatus) => readonly Cell[];
}

/** `isPartial`: the servers are not connected yet, so the columns keep space for values that are not known. */
export function layOutStatus(
  servers: readonly ServerStatus[],
  options: StatusOptions & { readonly isPartial?: boolean },
): StatusTable {
  const { now, columns = Infinity, isLive = false, isPartial = false, optional = DROPPED_FIRST } = options;
  const mayHaveLogin = (server: ServerStatus) =>
    summarizeLogin(server, now) !== undefined || (isPartial && server.transport !== "stdio");
  const hasLogins = servers.some(mayHaveLogin);
  const hasSandboxes = servers.some(({ sandbox }) => sandbox !== undefined);
  const isShown: { readonly [title: string]: boolean } = { LOGIN: hasLogins, UPTIME: isLive, SANDBOX: hasSandboxes };
  const shown = COLUMNS.filter(({ title }) => isShown[title] ?? true);
  const cells = (server: ServerStatus) => shown.map(({ cell }) => cell(server, options));
  const titles = shown.map(({ title }) => title);
  const minWidths = isPartial ? EXPECTED_WIDTHS : {};
  return { table: layOutTable(titles, servers.map(cells), { columns, optional, minWidths }), cells };
}

/** Room for the longest state, protocol and pid that are common. */
const EXPECTED_WIDTHS = { STATE: 13, PROTOCOL: 19, PID: 7 };

interface StatusColumn {
  readonly title: string;
  readonly cell: (server: ServerStatus, options: StatusOptions) => Cell;
}

const COLUMNS: readonly StatusColumn[] = [
  { title: "SERVER", cell: ({ id }) => id },
  { title: "TRANSPORT", cell: transportCell },
  { title: "SOURCE", cell: ({ source }) => source },
  { title: "ENABLED", cell: enabledCell },
  { title: "SANDBOX", cell: sandboxCell },
  { title: "STATE", cell: stateCell },
  { title: "TOOLS", cell: toolsCell },
  { title: "PROTOCOL", cell: protocolCell },
  { title: "UPTIME", cell: uptimeCell },
  { title: "PID", cell: ({ pid }) => (pid === undefined ? "–" : String(pid)) },
  { title: "LOGIN", cell: (server, { now }) => summarizeLogin(server, now) ?? "–" },
];

const DROPPED_FIRST = ["PID", "UPTIME", "PROTOCOL", "SOURCE", "TRANSPORT", "SANDBOX", "ENABLED", "LOGIN"];

/** Returns a dash for an invalid entry, whose transport is unknown. */
export function transportCell(server: ServerStatus): string {
  return isInvalid(server) ? "–" : server.transport;
}

/** Also returns "no" for a server that was disabled at run time but stays connected, and for one without approval. */
export function enabledCell(server: ServerStatus): string {
  return server.enabled && !server.hidden && !isUntrusted(server) ? "yes" : "no";
}

export function sandboxCell({ sandbox }: ServerStatus): string {
  return sandbox ? "yes" : "–";
}

export function toolsCell({ state, tools }: ServerStatus): string {
  return state === "ready" ? String(tools) : "–";
}

export function protocolCell({ version }: ServerStatus): string {
  return version ?? "–";
}

/** The state in one word. A server that waits for its next attempt is connecting. */
export function stateName(server: ServerStatus): Exclude<ShownState, "retrying"> {
  const state = shownState(server);
  return state === "retrying" ? "connecting" : state;
}

const TONE_STYLES: { readonly [Tone in (typeof SHOWN_STATES)[ShownState]["tone"]]: StyleName } = {
  ok: "green",
  busy: "cyan",
  warn: "yellow",
  danger: "red",
  neutral: "dim",
};

function stateCell(server: ServerStatus, { now, connectingSince }: StatusOptions): Cell {
  const state = shownState(server);
  const { id, retryAt } = server;
  const since = state === "connecting" ? connectingSince?.(id) : undefined;
  // 999 ms more, so that the seconds are rounded up.
  const text = retryAt === undefined ? state : `retrying in ${formatDuration(retryAt - now + 999)}`;
  return styled(TONE_STYLES[SHOWN_STATES[state].tone], since === undefined ? text : withElapsed(text, now - since));
}

function uptimeCell({ state, lastConnectedAt }: ServerStatus, { now }: StatusOptions): string {
  return state === "ready" && lastConnectedAt !== undefined ? formatDuration(now - lastConnectedAt) : "–";
}

/** Renders the server's error and its unusable tools, each with the server's id. */
export function renderNotes({ id, lastError, droppedTools = [] }: ServerStatus): string {
  const error = lastError && `${lastError.code}: ${commandMessage(lastError)}`;
  const dropped = droppedTools.map(({ tool, reason }) => `tool ${tool} can't be used: ${reason}`);
  return [...(error === undefined ? [] : [error]), ...dropped].map((note) => renderNote(id, note)).join("");
}

function renderNote(id: string, note: string): string {
  return `${sanitizeLine(id)}: ${sanitize(note.trim()).replaceAll("\n", "\n    ")}\n`;
}
