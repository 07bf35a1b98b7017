/** Renders how other clients are connected to Plugboard, and the changes of their files. */
import { sanitizeLine } from "@plugboard/contracts";
import type { ClientInfo, ClientPlan, ConnectPlan, DiffLine } from "@plugboard/contracts";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import { renderTable } from "../render-table.ts";

/** Shows one row for each client. */
export function renderClients(clients: readonly ClientInfo[]): Text {
  const rows = clients.map((client) => [
    client.client,
    client.installed ? "yes" : "not found",
    describeConnection(client),
    describeCommand(client),
  ]);
  const errors = clients.flatMap(({ files }) => files.flatMap(({ error }) => (error === undefined ? [] : [error])));
  return [
    renderTable(["CLIENT", "INSTALLED", "CONNECTED", "COMMAND"], rows),
    ...errors.map((error) => `\n${sanitizeLine(error)}\n`),
  ];
}

/** Shows the file and the change, with masked values. */
export function renderFileChange({ label, file, linkTo, diff, deletes }: ClientPlan): Text {
  const link = linkTo === undefined ? "" : ` (a link to ${sanitizeLine(linkTo)})`;
  const heading = styled("bold", `${label}: ${sanitizeLine(file)}${link}`);
  if (diff.length === 0) return [heading, "\n"];
  const deleted = deletes ? "The file is deleted, because Plugboard has created it.\n\n" : "";
  return [heading, "\n\n", deleted, renderDiff(diff), "\n"];
}

interface ConnectedOptions {
  readonly isWritten: boolean;
  readonly dryRun: boolean;
  readonly backup: string | undefined;
}

/** Says what was written, how to undo it, and what to do next. */
export function renderConnected(plan: ConnectPlan, { isWritten, dryRun, backup }: ConnectedOptions): Text {
  const { client, label, action, servers, notes } = plan;
  if (action === "none") return [`${label} is connected to Plugboard. Nothing was changed.\n`, importHint(plan)];
  if (!isWritten) return [dryRun ? "Nothing was written, because of --dry-run.\n" : "", importHint(plan)];
  const copy = backup === undefined ? "" : ` The file before the change is ${sanitizeLine(backup)}.`;
  return [
    `${label} is connected to Plugboard.${copy} To undo this, run \`plugboard disconnect ${client}\`.\n`,
    servers.length > 0 ? importHint(plan) : "",
    ...notes.map((note) => `${sanitizeLine(note)}\n`),
  ];
}

export function renderDisconnected(
  { label, file, action }: ClientPlan,
  { isWritten, dryRun }: Pick<ConnectedOptions, "isWritten" | "dryRun">,
): Text {
  if (action === "none") return `${label} is not connected to Plugboard: ${sanitizeLine(file)} has no entry of it.\n`;
  if (!isWritten) return dryRun ? "Nothing was written, because of --dry-run.\n" : "";
  return action === "restore"
    ? `${label} is disconnected from Plugboard. Its file is as it was before.\n`
    : `${label} is disconnected from Plugboard.\n`;
}

function importHint({ client, label, servers, imported, file }: ConnectPlan): Text {
  if (servers.length === 0) return "";
  const own = `${label} also starts ${servers.length === 1 ? "a server" : `${servers.length} servers`} itself: ${list(servers)}. `;
  // Plugboard reads this file itself.
  if (file.endsWith(".mcp.json") && client === "claude-code")
    return `${own}Plugboard reads this file, too, so the tools appear twice.\n`;
  const others = servers.filter((id) => !imported.includes(id));
  const them = others.length === 1 ? "it" : "them";
  const known = `Plugboard already has ${list(imported)}. Remove ${imported.length === 1 ? "it" : "them"} from ${sanitizeLine(file)}. `;
  const unknown = `To run ${imported.length > 0 ? list(others) : them} only once, run \`plugboard import ${client}\`, then remove ${them} from ${label}.`;
  return `${own}${imported.length > 0 ? known : ""}${others.length > 0 ? unknown : ""}`.trimEnd() + "\n";
}

function list(ids: readonly string[]): string {
  return sanitizeLine(ids.join(", "));
}

function describeConnection({ files }: ClientInfo): string {
  const connections = files.flatMap(({ scope, connections: found }) => found.map((entry) => ({ scope, ...entry })));
  if (connections.length === 0) return files.some(({ error }) => error !== undefined) ? "unknown" : "no";
  return connections
    .map(({ scope, kind, profile }) => {
      const details = [
        ...(kind === "http" ? ["http"] : []),
        ...(profile === undefined ? [] : [`profile ${profile}`]),
        ...(scope === "project" ? ["this project"] : []),
      ];
      return details.length === 0 ? "yes" : `yes (${details.join(", ")})`;
    })
    .join(", ");
}

function describeCommand({ client, installed, files }: ClientInfo): string {
  const isConnected = files.some(({ connections }) => connections.length > 0);
  if (isConnected) return `plugboard disconnect ${client}`;
  return installed ? `plugboard connect ${client}` : "–";
}

export function renderDiff(diff: readonly DiffLine[]): Text {
  return diff.map(renderLine);
}

const SIGNS: { readonly [Kind in DiffLine["kind"]]: string } = { context: "  ", added: "+ ", removed: "- " };

function renderLine({ kind, text }: DiffLine): Text {
  const line = `${SIGNS[kind]}${sanitizeLine(text)}`.trimEnd();
  if (kind === "context") return [styled("dim", line), "\n"];
  return [styled(kind === "added" ? "green" : "red", line), "\n"];
}
