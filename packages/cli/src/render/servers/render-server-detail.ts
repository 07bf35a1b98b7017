/** Renders the details of one server. Starts each row of text from the server or its definition with a bar (`│ `). */
import { commandMessage, describeSandbox, sanitizeLine } from "@plugboard/contracts";
import type { ServerDetail } from "@plugboard/contracts";
import { makeQuoter } from "../quote-untrusted.ts";
import { renderJson } from "../../terminal/render-json.ts";
import { summarizeLogin } from "../logins/render-logins.ts";
import { enabledCell, protocolCell, stateName, toolsCell, transportCell } from "./render-status.ts";

interface DetailOptions {
  readonly now: number;
  readonly columns: number;
  /** False without a running host, so that it is not known when the server was last connected. */
  readonly isLive: boolean;
}

export function renderServerDetail(server: ServerDetail, { now, columns, isLive }: DetailOptions): string {
  const { id, source, target, sandbox, serverInfo, pid, lastConnectedAt, retryAt, restarts, lastError } = server;
  const neverConnected = isLive ? "not since the host started" : "–";
  const rows: [string, string | undefined][] = [
    ["transport", transportCell(server)],
    ["source", source],
    ["enabled", enabledCell(server)],
    ["state", stateName(server)],
    ["tools", toolsCell(server)],
    ["protocol", protocolCell(server)],
    ["calls itself", serverInfo && `${serverInfo.name} ${serverInfo.version}`.trim()],
    ["pid", pid === undefined ? undefined : String(pid)],
    ["runs", target || undefined],
    ["sandbox", sandbox && describeSandbox(sandbox)],
    ["login", summarizeLogin(server, now)],
    ["last connected", lastConnectedAt === undefined ? neverConnected : formatTime(lastConnectedAt)],
    ["next attempt", retryAt === undefined ? undefined : formatTime(retryAt)],
    ["restarts", restarts === undefined ? undefined : String(restarts)],
    ["last error", lastError && `${lastError.code}: ${commandMessage(lastError)}`],
  ];
  return [`${sanitizeLine(id)}\n`, ...rows.map(renderRow), ...renderTexts(server, columns)].join("");
}

function renderRow([name, value]: [string, string | undefined]): string {
  return value === undefined ? "" : `  ${`${name}:`.padEnd(16)}${sanitizeLine(value)}\n`;
}

function renderTexts({ config, instructions, offered, stderr, droppedTools = [] }: ServerDetail, columns: number) {
  const quote = makeQuoter({ columns });
  const texts: [string, string | undefined][] = [
    ["Definition", renderJson(config)],
    ["Tools", offered.map(({ name }) => sanitizeLine(name)).join("\n")],
    ["Tools that can't be used", droppedTools.map(({ tool, reason }) => sanitizeLine(`${tool}: ${reason}`)).join("\n")],
    ["Instructions of the server", instructions],
    ["Last output on stderr", stderr],
  ];
  return texts.map(([title, text]) => (text ? `${title}:\n${quote(text)}` : ""));
}

function formatTime(timestamp: number): string {
  return new Date(timestamp).toISOString();
}
