/** `/mcp`: the state of the servers as the host knows it now. Also works while a turn runs. */
import { isUntrusted } from "@plugboard/contracts";
import type { ServerStatus } from "@plugboard/contracts";
import { renderServerDetail } from "../../render/servers/render-server-detail.ts";
import { renderStatus } from "../../render/servers/render-status.ts";
import type { SlashCommand, SlashContext } from "./slash-command.ts";

const ACTIONS = ["enable", "disable", "reconnect", "login"] as const;
type Action = (typeof ACTIONS)[number];

export const mcpCommand: SlashCommand = {
  name: "mcp",
  usage: "[id | enable|disable|reconnect|login id]",
  about: "show the servers, or one of them, or change one",
  choices: ACTIONS,
  async run([first, second], context) {
    if (first === undefined) return showServers(context);
    if (second !== undefined && isAction(first)) return changeServer(first, second, context);
    if (isAction(first) && !(await hasServer(first, context)))
      throw new Error(`Write the server after ${first}, such as /mcp ${first} files.`);
    return showServer(first, context);
  },
};

function isAction(word: string): word is Action {
  return (ACTIONS as readonly string[]).includes(word);
}

async function hasServer(id: string, { chat }: SlashContext): Promise<boolean> {
  return (await chat.workspace.status()).some((server) => server.id === id);
}

async function showServers({ chat, print, columns, now }: SlashContext): Promise<void> {
  const servers = await chat.workspace.status();
  print(servers.length === 0 ? NO_SERVERS : renderServers(servers, { now, columns }));
}

function renderServers(servers: readonly ServerStatus[], { now, columns }: Pick<SlashContext, "now" | "columns">) {
  return renderStatus(servers, { now, columns, isLive: true, optional: OPTIONAL_COLUMNS });
}

/** The columns that a narrow terminal does not show. The others need a width of 60. */
const OPTIONAL_COLUMNS = ["PID", "UPTIME", "PROTOCOL", "LOGIN", "SOURCE", "TRANSPORT", "SANDBOX", "ENABLED"];

const NO_SERVERS = "no MCP servers configured\nAdd one with `plugboard add <id> -- <command>` in another terminal.\n";

async function showServer(id: string, { chat, print, columns, now }: SlashContext): Promise<void> {
  print(renderServerDetail(await chat.workspace.servers.detail(id), { now, columns, isLive: true }));
}

async function changeServer(action: Action, id: string, context: SlashContext): Promise<void> {
  const { servers } = context.chat.workspace;
  switch (action) {
    case "enable":
      await enable(id, context);
      break;
    case "disable":
      await servers.toggle(id, false);
      break;
    case "reconnect":
      await servers.reconnect(id);
      break;
    case "login":
      await servers.login(id);
      break;
  }
  const { session, chat } = context;
  const server = (await session.refreshServers(chat)).filter((status) => status.id === id);
  context.print(renderServers(server, context));
}

/** Connecting to a server of the project asks whether the user approves it. */
async function enable(id: string, { chat }: SlashContext): Promise<void> {
  const server = (await chat.workspace.status()).find((status) => status.id === id);
  if (server && isUntrusted(server)) await chat.workspace.servers.connect(id);
  else await chat.workspace.servers.toggle(id, true);
}
