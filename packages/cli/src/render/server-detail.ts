/** Renders the details of one server. Quotes the text of the server and its definition behind a gutter. */
import { sanitiseLine } from "@plugboard/contracts";
import type { ServerDetail } from "@plugboard/contracts";
import { quoteFor } from "../prompt/quote.ts";
import { renderJson } from "./json.ts";
import { loginOf } from "./logins.ts";
import { enabledOf, protocolOf, toolsOf, transportOf } from "./status.ts";

export function renderServerDetail(server: ServerDetail, now: number, columns: number): string {
  const { id, source, state, target, serverInfo, pid, last_connected_at, retry_at, restarts, last_error } = server;
  const rows: [string, string | undefined][] = [
    ["transport", transportOf(server)],
    ["source", source],
    ["enabled", enabledOf(server)],
    ["state", state],
    ["tools", toolsOf(server)],
    ["protocol", protocolOf(server)],
    ["calls itself", serverInfo && `${serverInfo.name} ${serverInfo.version}`.trim()],
    ["pid", pid === undefined ? undefined : String(pid)],
    ["runs", target || undefined],
    ["login", loginOf(server, now)],
    ["last connected", last_connected_at === undefined ? "not since the host started" : timeOf(last_connected_at)],
    ["next attempt", retry_at === undefined ? undefined : timeOf(retry_at)],
    ["restarts", restarts === undefined ? undefined : String(restarts)],
    ["last error", last_error && `${last_error.code}: ${last_error.message.trim()}`],
  ];
  return [`${sanitiseLine(id)}\n`, ...rows.map(renderRow), ...renderTexts(server, columns)].join("");
}

function renderRow([name, value]: [string, string | undefined]): string {
  return value === undefined ? "" : `  ${`${name}:`.padEnd(16)}${sanitiseLine(value)}\n`;
}

function renderTexts({ config, instructions, offered, stderr, dropped_tools = [] }: ServerDetail, columns: number) {
  const quote = quoteFor({ columns });
  const texts: [string, string | undefined][] = [
    ["Its definition", renderJson(config)],
    ["What it offers", offered.map(({ name }) => sanitiseLine(name)).join("\n")],
    ["Left out", dropped_tools.map(({ tool, reason }) => sanitiseLine(`${tool}: ${reason}`)).join("\n")],
    ["What it says of itself", instructions],
    ["What it last wrote to stderr", stderr],
  ];
  return texts.map(([title, text]) => (text ? `${title}:\n${quote(text)}` : ""));
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
