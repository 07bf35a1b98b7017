/** Implements `plugboard list`. */
import type { ServerStatus } from "@plugboard/contracts";
import { rejectOnInterrupt } from "../../terminal/interruption.ts";
import { renderTableWithLogins } from "../../render/render-logins.ts";
import { renderNoServers } from "../../render/render-no-servers.ts";
import { enabledCell, isInvalid, transportCell } from "../../render/render-status.ts";
import type { CliContext } from "../../terminal/cli-context.ts";
import { withWorkspace } from "../../workspace/with-workspace.ts";
import type { CommandOptions } from "../../workspace/with-workspace.ts";

/** Shows the configured servers. Starts nothing. */
export function listServers(input: CommandOptions, cli: CliContext): Promise<number> {
  const { stdout, env } = cli;
  return withWorkspace(input, cli, async ({ workspace, interrupted }) => {
    const servers = await rejectOnInterrupt(workspace.status(), interrupted);
    if (input.json) stdout.json(servers.map(toListEntry));
    else stdout.write(servers.length === 0 ? renderNoServers(env) : renderServers(servers, Date.now()));
    return 0;
  });
}

function toListEntry(server: ServerStatus): object {
  const { id, transport, source, enabled, target } = server;
  return { id, transport, source, enabled, target, ...(isUntrusted(server) && { untrusted: true }) };
}

function renderServers(servers: readonly ServerStatus[], now: number): string {
  const rows = servers.map((server) => [
    server.id,
    transportCell(server),
    server.source,
    isInvalid(server) ? "invalid" : isUntrusted(server) ? "untrusted" : enabledCell(server),
    server.target || "–",
  ]);
  return renderTableWithLogins(["SERVER", "TRANSPORT", "SOURCE", "ENABLED", "RUNS"], rows, servers, now);
}

function isUntrusted({ lastError }: ServerStatus): boolean {
  return lastError?.code === "SERVER_UNTRUSTED";
}
