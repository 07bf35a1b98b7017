/** Renders what the running host is, and how to connect MCP clients to it. */
import { sanitizeLine, formatDuration } from "@plugboard/contracts";
import type { Env, HostInfo, PageLink } from "@plugboard/contracts";
import type { OpenUrlResult } from "@plugboard/mcp/process";
import { shortName } from "../quote-untrusted.ts";

export function renderConnectHelp(endpoint: string): string {
  return `To connect a client, run \`plugboard connect\`. Other clients use ${endpoint}/mcp with a token of
\`plugboard token create\`, or launch \`plugboard stdio\`.`;
}

/** Names the command that makes another link, because this one works only once. */
export function renderPageHelp(link: PageLink, env: Env): string {
  return `Page: ${link.url}
${renderForwardedLink(link, env)}This link signs one browser in. \`plugboard ui\` makes another one.`;
}

/** Returns an empty text outside of SSH sessions. In an SSH session, the browser is usually on another machine. */
export function renderForwardedLink({ forwardedUrl }: PageLink, env: Env): string {
  return env["SSH_CONNECTION"] || env["SSH_TTY"] ? `Through a forwarded port: ${forwardedUrl}\n` : "";
}

export function renderPageOpened(result: OpenUrlResult): string {
  if (result.opened) return "The browser was opened.\n";
  return `The browser could not be opened: ${sanitizeLine(result.reason)}. Open the link yourself.\n`;
}

/**
 * Renders one line such as
 * `Host: process 17, running for 3 h 20 min, http://127.0.0.1:7431 for /home/ann/project, 2 stdio clients`.
 */
export function renderHostInfo({ pid, startedAt, startedBy, port, clients }: HostInfo, now: number): string {
  const parts = [
    `process ${pid}`,
    `running for ${formatDuration(now - startedAt)}`,
    ...(startedBy === "serve" ? [] : [startedBy === "service" ? "as a service" : "in the background"]),
    port === undefined
      ? "no port open for HTTP clients (`plugboard serve --detach` opens it)"
      : `${port.endpoint} for ${port.spec.cwd}`,
    describeClients(clients),
  ];
  return `Host: ${parts.join(", ")}\n`;
}

/** Says which clients a stopped host has disconnected. Empty if there were none. */
export function describeDisconnected(info: HostInfo | undefined): string {
  if (!info) return "";
  const { stdio, http, other } = info.clients;
  return stdio + http + other === 0 ? "" : ` Disconnected: ${describeClients(info.clients)}.`;
}

/** Shows stdio clients by the names that they give themselves, and HTTP clients by the names of their tokens. */
function describeClients({ stdio, http, other, connected }: HostInfo["clients"]): string {
  const names = connected.flatMap(({ transport, name }) => (transport === "stdio" ? [name ?? "unnamed"] : []));
  const tokens = new Set(connected.flatMap(({ token }) => token ?? []));
  const counts = [
    { count: stdio, one: "stdio client", many: "stdio clients", named: names },
    { count: http, one: "HTTP client", many: "HTTP clients", named: [...tokens] },
    { count: other, one: "other client", many: "other clients", named: [] },
  ];
  const parts = counts.flatMap(({ count, one, many, named }) => {
    if (count === 0) return [];
    const list = named.length === 0 ? "" : ` (${named.map(shortName).join(", ")})`;
    return `${count} ${count === 1 ? one : many}${list}`;
  });
  return parts.join(", ") || "no clients";
}
